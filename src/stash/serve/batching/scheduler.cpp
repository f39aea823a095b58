#include "stash/serve/batching/scheduler.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "stash/core/clock.h"
#include "stash/core/error.h"
#include "stash/core/units.h"

namespace stash {
namespace {

constexpr std::int64_t kNoTime_ns = std::numeric_limits<std::int64_t>::max();
// Without an objective, requests that wait for this many batches are enough: more would only wait longer.
constexpr int kMostBatchesAhead = 64;
constexpr double kOverheadWeight = 0.05;  // of the newest batch
// A request's answer has to be made and sent after its batch has ended.
constexpr double kAnswer_s = 0.0002;

}  // namespace

ModelQueue& Scheduler::add(ServedModel model) {
  if (find(model.name) != nullptr) {
    throw UsageError(
        fmt::format("two models are called {}: give one another name, like --model b={}", model.name, model.name));
  }
  ModelQueue& queue = models_.emplace_back(std::move(model), settings_);
  queue.load(world_.now_ns(), settings_.reload);
  queue.advance_loading(kNoTime_ns);
  return queue;
}

ModelQueue* Scheduler::find(std::string_view name) {
  const auto found = std::ranges::find_if(models_, [&](const ModelQueue& one) { return one.model().name == name; });
  return found == models_.end() ? nullptr : &*found;
}

void Scheduler::set(const ServeSettings& settings) {
  settings_ = settings;
  for (ModelQueue& queue : models_) queue.set(settings);
}

std::int64_t Scheduler::busy_ns(std::int64_t now_ns) const {
  return busy_before_ns_ + (is_busy() ? now_ns - begun_ns_ : 0);
}

int Scheduler::rows_of_others(const ModelQueue& queue) const {
  int rows = 0;
  for (const ModelQueue& other : models_) {
    if (&other != &queue) rows += other.waiting_rows();
  }
  return rows;
}

Refusal Scheduler::submit(PendingRequest& request) {
  ModelQueue& queue = *request.queue;
  const std::int64_t now_ns = request.times.arrived_ns;
  const BatchRule& rule = queue.rule();
  queue.note_arrival(now_ns, request.times.rows);
  const auto refuse = [&](std::string why) {
    ++queue.counts.refused;
    return Refusal{503, std::move(why)};
  };
  request.deadline_ns = kNoTime_ns;
  if (rule.objective_s) {
    request.deadline_ns = now_ns + nanoseconds(*rule.objective_s);
    const std::int64_t free_ns = queue.rests() ? std::max(free_ns_, queue.loaded_ns()) : free_ns_;
    const std::int64_t end_ns =
        done_ns(rule, queue.model().times, request.times.rows, queue.waiting_rows() + rows_of_others(queue),
                queue.rate_per_s(now_ns), now_ns, free_ns, overhead_s_ + kAnswer_s);
    if (end_ns > request.deadline_ns) {
      return refuse(fmt::format(
          "this request would take {} and the objective is {}: {} samples wait; send fewer per "
          "second, or try again later",
          format_duration(seconds(end_ns - now_ns)), format_duration(*rule.objective_s), queue.waiting_rows()));
    }
  } else if (queue.waiting_rows() >= kMostBatchesAhead * rule.most_rows) {
    return refuse(
        fmt::format("{} samples wait already: send fewer per second, or try again later", queue.waiting_rows()));
  }
  request.is_in_batch = false;
  request.times.device_busy_ns = busy_ns(now_ns);
  request.times.reload_ns = queue.rested_ns(now_ns);
  queue.push(request);
  return {};
}

bool Scheduler::withdraw(PendingRequest& request) {
  if (request.is_in_batch) return false;
  request.queue->remove(request);
  return true;
}

void Scheduler::advance() {
  const std::int64_t now_ns = world_.now_ns();
  for (ModelQueue& queue : models_) queue.advance_loading(now_ns);
  if (is_busy() && world_.is_noticed(now_ns)) finish_batch(now_ns);
  if (!is_busy()) dispatch_due(world_.now_ns());
}

void Scheduler::finish_batch(std::int64_t now_ns) {
  if (settings_.late_notice_s > 0) {
    sleep_until_ns(now_ns + nanoseconds(settings_.late_notice_s));
    now_ns = world_.now_ns();
  }
  busy_before_ns_ += now_ns - begun_ns_;
  const std::int64_t finish_ns = world_.finish_ns();
  const double beside_s = seconds(now_ns - begun_ns_ - (finish_ns - batch_.front()->times.started_ns));
  overhead_s_ += kOverheadWeight * (beside_s - overhead_s_);
  free_ns_ = now_ns;
  std::vector<PendingRequest*> ended;
  ended.swap(batch_);
  for (PendingRequest* const request : ended) {
    request->times.finished_ns = finish_ns;
    request->times.noticed_ns = now_ns;
    request->is_in_batch = false;
    request->output = output_of(*request);
    world_.done(*request, {});
  }
}

// Of the models whose batch is due, the one with the least time left.
void Scheduler::dispatch_due(std::int64_t now_ns) {
  ModelQueue* best = nullptr;
  const auto urgency_ns = [](const ModelQueue& queue) {
    const PendingRequest& oldest = queue.oldest();
    return queue.rule().objective_s ? oldest.deadline_ns : oldest.times.arrived_ns;
  };
  for (ModelQueue& queue : models_) {
    if (queue.empty() || queue.rests() || queue.due_ns(now_ns, free_ns_, overhead_s_ + kAnswer_s) > now_ns) continue;
    if (best == nullptr || urgency_ns(queue) < urgency_ns(*best)) best = &queue;
  }
  if (best != nullptr) begin(*best, now_ns);
}

void Scheduler::begin(ModelQueue& queue, std::int64_t now_ns) {
  std::vector<PendingRequest*> late;
  batch_ = queue.take_batch(now_ns, overhead_s_, late);
  int rows = 0;
  for (const PendingRequest* const request : batch_) rows += request->times.rows;
  if (!batch_.empty()) {
    const bool gathers = settings_.input == InputWay::gather;
    begun_ns_ = now_ns;
    for (PendingRequest* const request : batch_) {
      RequestTimes& times = request->times;
      request->is_in_batch = true;
      times.dispatched_ns = now_ns;
      times.batch_rows = rows;
      times.was_gathered = gathers;
      const std::int64_t busy = busy_before_ns_ - times.device_busy_ns;
      times.device_busy_ns = busy;
      times.reload_ns = queue.rested_ns(now_ns) - times.reload_ns;
    }
    if (gathers) gather(queue);
    const std::int64_t start_ns = gathers ? world_.now_ns() : now_ns;
    for (PendingRequest* const request : batch_) request->times.started_ns = start_ns;
    const std::int64_t work_ns = nanoseconds(queue.model().times.at(rows));
    free_ns_ = start_ns + work_ns + nanoseconds(overhead_s_);
    ++queue.counts.batches;
    queue.counts.rows += static_cast<std::uint64_t>(rows);
    world_.start(start_ns, work_ns, settings_.completion);
  }
  for (PendingRequest* const request : late) {
    ++queue.counts.refused;
    world_.done(*request, {503, fmt::format("the device was slower than expected, and the objective is {}: send fewer "
                                            "per second, or try again later",
                                            format_duration(*queue.rule().objective_s))});
  }
}

void Scheduler::gather(const ModelQueue& queue) {
  const std::size_t row_bytes = queue.model().input.row_bytes();
  std::size_t at = 0;
  for (const PendingRequest* const request : batch_) at += static_cast<std::size_t>(request->times.rows) * row_bytes;
  if (batch_bytes_.size() < at) batch_bytes_.resize(at);
  at = 0;
  for (PendingRequest* const request : batch_) {
    std::memcpy(batch_bytes_.data() + at, request->tensor.data(), request->tensor.size());
    request->tensor = {batch_bytes_.data() + at, request->tensor.size()};
    at += request->tensor.size();
  }
  if (settings_.slow_gather_s > 0) sleep_until_ns(world_.now_ns() + nanoseconds(settings_.slow_gather_s));
}

// An emulated device computes nothing: every output row is the beginning of its input row, with zeros behind it where
// that is shorter.
std::string_view Scheduler::output_of(const PendingRequest& request) {
  const ServedModel& model = request.queue->model();
  const std::size_t in = model.input.row_bytes(), out = model.output.row_bytes();
  if (request.times.rows == 1 && in >= out) return request.tensor.substr(0, out);
  output_.clear();
  for (std::size_t row = 0; row * in < request.tensor.size(); ++row) {
    output_ += request.tensor.substr(row * in, std::min(in, out));
    output_.append(out - std::min(in, out), '\0');
  }
  return output_;
}

std::int64_t Scheduler::next_ns() const {
  std::int64_t next = kNoTime_ns;
  const std::int64_t now_ns = world_.now_ns();
  for (const ModelQueue& queue : models_) {
    if (queue.is_loading()) next = std::min(next, queue.loaded_ns());
    if (is_busy() || queue.empty() || queue.rests()) continue;
    next = std::min(next, queue.due_ns(now_ns, free_ns_, overhead_s_ + kAnswer_s));
  }
  return is_busy() ? std::min(next, world_.look_ns()) : next;
}

}  // namespace stash
