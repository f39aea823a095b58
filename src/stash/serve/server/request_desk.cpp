#include "stash/serve/server/request_desk.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "stash/core/clock.h"
#include "stash/core/units.h"
#include "stash/serve/server/model_api.h"

namespace stash {
namespace {

using ConnectionState = ServeConnection::State;

constexpr std::size_t kReceiveBytes = 256 * 1024;
constexpr double kDrain_s = 2;  // for a client to take the last answer

ServeConnection& connection_of(PendingRequest& request) { return *static_cast<ServeConnection*>(request.owner); }

}  // namespace

RequestDesk::RequestDesk(const ServeLimits& limits, Scheduler& scheduler, ConnectionTable& table)
    : limits_(limits), scheduler_(scheduler), table_(table), buffer_(kReceiveBytes) {
  table_.is_in_use = [this](const ServeConnection& one) {
    return std::ranges::count(loaders_, &one) > 0 || std::ranges::count(answered_, &one) > 0;
  };
}

void RequestDesk::serve(ServeConnection& connection) {
  const bool is_whole_server_ending = stopping_;
  while (connection.state() == ConnectionState::idle || connection.state() == ConnectionState::reading) {
    if (is_whole_server_ending && connection.state() == ConnectionState::idle) return connection.close();
    const bool was_idle = connection.state() == ConnectionState::idle;
    const auto input = connection.receive(buffer_);
    if (was_idle && connection.state() != ConnectionState::idle) {
      connection.deadline_ns = now_ns() + nanoseconds(limits_.request_s);
    }
    if (input == ServeConnection::Input::ended) return hang_up(connection);
    if (input == ServeConnection::Input::fault) {
      return refuse(connection, {connection.reader().fault_status(),
                                 fmt::format("this is no request that the server takes: {}; bodies have up to {}",
                                             connection.reader().fault(),
                                             format_bytes(static_cast<double>(limits_.request_bytes)))});
    }
    if (!table_.count_memory(connection)) {
      return refuse(connection, {503, "the requests that are being received take all the memory: try again later"});
    }
    if (input == ServeConnection::Input::none) {
      connection.send_continue();
      if (!connection.may_read()) return;
      continue;
    }
    answer(connection);
  }
  if (connection.state() == ConnectionState::draining) connection.drain(buffer_);
}

void RequestDesk::refuse(ServeConnection& connection, const Refusal& refusal) {
  HttpAnswer answer = error_answer(refusal);
  answer.stays_open = false;
  say(connection, answer);
}

void RequestDesk::say(ServeConnection& connection, const HttpAnswer& answer) {
  append_answer(connection.out(), answer);
  send(connection, answer.stays_open);
}

void RequestDesk::send(ServeConnection& connection, bool stays_open) {
  connection.deadline_ns = now_ns() + nanoseconds(limits_.request_s);
  connection.send_whole(stays_open);
  if (connection.state() != ConnectionState::draining) return;
  connection.deadline_ns = now_ns() + nanoseconds(kDrain_s);
  connection.drain(buffer_);
}

bool RequestDesk::stays_open(const ServeConnection& connection) const {
  return connection.reader().stays_open() && !stopping_;
}

void RequestDesk::answer(ServeConnection& connection) {
  const HttpHead& head = connection.reader().head();
  if (head.is_encoded) return say_refusal(connection, {415, "compressed requests are not taken"});
  ApiCall call = route(scheduler_, head, table_.size());
  if (auto* const known = std::get_if<HttpAnswer>(&call)) {
    known->stays_open = stays_open(connection);
    known->is_head_only = head.method == "HEAD";
    return say(connection, *known);
  }
  if (const auto* const load = std::get_if<LoadCall>(&call)) {
    load->queue->load(now_ns(), scheduler_.settings().reload);
    connection.pending.queue = load->queue;
    connection.wait_for_model();
    loaders_.push_back(&connection);
    return;
  }
  infer(connection, *std::get<InferCall>(call).queue);
}

void RequestDesk::say_refusal(ServeConnection& connection, const Refusal& refusal) {
  HttpAnswer answer = error_answer(refusal);
  answer.stays_open = stays_open(connection);
  say(connection, answer);
}

void RequestDesk::infer(ServeConnection& connection, ModelQueue& queue) {
  const std::string_view body = connection.reader().body();
  std::size_t json_bytes = body.size();
  if (const auto& given = connection.reader().head().json_bytes) {
    const auto [end, error] = std::from_chars(given->data(), given->data() + given->size(), json_bytes);
    if (error != std::errc() || end != given->data() + given->size() || json_bytes > body.size()) {
      return say_refusal(connection, {400, fmt::format("Inference-Header-Content-Length must be a number up to the "
                                                       "length of the body, {}",
                                                       body.size())});
    }
  }
  InferMessage& message = connection.message;
  const Refusal wrong =
      connection.infer_reader().read(queue.model(), body, json_bytes, queue.rule().most_rows, message, queue.version());
  if (wrong.status != 0) return say_refusal(connection, wrong);
  connection.infer_head = message.head;
  connection.pending.queue = &queue;
  connection.pending.tensor = message.tensor;
  connection.pending.times.rows = message.head.rows;
  connection.pending.times.arrived_ns = now_ns();
  const Refusal refused = scheduler_.submit(connection.pending);
  if (refused.status != 0) return say_refusal(connection, refused);
  connection.wait_for_model();
}

void RequestDesk::finish(PendingRequest& request, const Refusal& refusal) {
  auto& connection = connection_of(request);
  if (connection.state() == ConnectionState::closed) return;  // the client has gone
  if (refusal.status != 0) {
    say_refusal(connection, refusal);
  } else {
    const std::uint32_t number = connection.number();
    append_infer_answer(connection.out(), request.queue->model(), connection.infer_head, request.output,
                        stays_open(connection));
    send(connection, stays_open(connection));
    request.times.answered_ns = now_ns();
    count_answer(request.queue->counts, request.times);
    if (on_answered) on_answered({connection.peer_port(), number, request.times});
  }
  answered_.push_back(&connection);
}

void RequestDesk::settle() {
  while (!answered_.empty()) {
    for (ServeConnection* const one : std::exchange(answered_, {})) serve(*one);
  }
  for (std::size_t i = 0; i < loaders_.size();) {
    ServeConnection& one = *loaders_[i];
    if (one.state() == ConnectionState::waiting && one.pending.queue->is_loading()) {
      ++i;
      continue;
    }
    loaders_.erase(loaders_.begin() + static_cast<std::ptrdiff_t>(i));
    if (one.state() == ConnectionState::closed) continue;
    say(one, load_answer(one));
    serve(one);
  }
}

HttpAnswer RequestDesk::load_answer(const ServeConnection& one) const {
  const ModelQueue& queue = *one.pending.queue;
  HttpAnswer answer{.body = "{}"};
  if (!queue.why_unavailable().empty()) {
    answer = error_answer({500, queue.why_unavailable()});
  } else if (queue.state() != ModelQueue::State::ready) {
    answer = error_answer({503, "the model was unloaded before it was loaded"});
  }
  answer.stays_open = stays_open(one);
  return answer;
}

void RequestDesk::hang_up(ServeConnection& connection) {
  if (connection.state() == ConnectionState::waiting && !std::ranges::count(loaders_, &connection)) {
    scheduler_.withdraw(connection.pending);
  }
  connection.close();
}

}  // namespace stash
