#include "stash/serve/server/model_server.h"

#include <fmt/format.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "stash/core/clock.h"
#include "stash/core/error.h"
#include "stash/core/units.h"
#include "stash/serve/batching/scheduler.h"
#include "stash/serve/server/emulated_accelerator.h"
#include "stash/serve/server/emulated_partition.h"
#include "stash/serve/server/listening_socket.h"
#include "stash/serve/server/model_api.h"
#include "stash/serve/server/serve_connection.h"
#include "stash/serve/worker/worker_partition.h"

namespace stash {
namespace {

using ConnectionState = ServeConnection::State;

constexpr std::size_t kReceiveBytes = 256 * 1024;
constexpr double kLook_s = 0.1;   // between looks at what is over time
constexpr double kDrain_s = 2;    // for a client to take the last answer
constexpr double kFinish_s = 10;  // for what was accepted, when the server is to end
constexpr std::uint64_t kListenTag = 0, kStopTag = 1, kWakeTag = 2, kPostTag = 3, kFirstTag = 4;
constexpr std::uint64_t kPartTags = std::uint64_t{1} << 62;
constexpr std::uint64_t kWorkerTags = std::uint64_t{1} << 63;  // with the worker's place

}  // namespace

class ModelServer::Loop {
 public:
  Loop(const ListenAddress& address, std::vector<ServedModel> models, WorkerCrew* workers,
       const ServeSettings& settings, const ServeLimits& limits, const ModelServer& owner)
      : owner_(owner),
        limits_(limits),
        workers_(workers),
        body_memory_(workers != nullptr ? static_cast<BodyMemory&>(workers->arena()) : own_body_memory()),
        listener_(address),
        scheduler_(world(), settings),
        epoll_(epoll_create1(EPOLL_CLOEXEC)),
        post_(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)),
        buffer_(kReceiveBytes) {
    if (!epoll_.is_open() || !post_.is_open()) throw Error(fmt::format("cannot wait: {}", std::strerror(errno)));
    if (settings.sharing != SharingWay::turns && !models.empty()) {
      partition_.emplace(settings.sharing, world().done);
    }
    for (ServedModel& model : models) {
      if (partition_) {
        partition_->add(scheduler_, std::move(model));
      } else {
        scheduler_.add(std::move(model));
      }
    }
    for (std::size_t i = 0; partition_ && i < partition_->size(); ++i)
      watch(partition_->wake_fd(i), kPartTags + i, EPOLLIN);
    if (partition_) partition_->settle(now_ns());
    for (std::size_t i = 0; workers != nullptr && i < workers->size(); ++i) {
      ModelWorker& worker = workers->at(i);
      ModelQueue& queue = scheduler_.add(worker.unknown_model(), worker, worker);
      if (workers->divides_device() && !worker_partition_) worker_partition_.emplace(settings.sharing);
      if (worker_partition_) worker_partition_->add(worker, queue);
      watch(worker.fd(), kWorkerTags + i, EPOLLIN);
    }
    watch(listener_.fd(), kListenTag, EPOLLIN);
    watch(device_.wake_fd(), kWakeTag, EPOLLIN);
    watch(post_.fd(), kPostTag, EPOLLIN);
  }

  int port() const { return listener_.port(); }

  void run(int stop_fd) {
    use_precise_sleep();
    stop_fd_ = stop_fd;
    watch(stop_fd, kStopTag, EPOLLIN);
    while (!is_over()) {
      take_events();
      settle();
      if (now_ns() >= next_look_ns_) look_at_times();
    }
  }

  void post(std::function<void()> what) {
    const std::scoped_lock lock(mutex_);
    posted_.push_back(std::move(what));
    eventfd_write(post_.fd(), 1);
  }

  Scheduler& scheduler() { return scheduler_; }

 private:
  SchedulerWorld world() {
    return {.now_ns = [] { return now_ns(); },
            .start = [this](std::int64_t start_ns, std::int64_t work_ns,
                            CompletionWay way) { device_.start(start_ns, work_ns, way); },
            .is_noticed = [this](std::int64_t at_ns) { return device_.is_noticed(at_ns); },
            .finish_ns = [this] { return device_.finish_ns(); },
            .look_ns = [this] { return device_.look_ns(); },
            .done = [this](PendingRequest& request, const Refusal& refusal) { finish(request, refusal); }};
  }

  void watch(int fd, std::uint64_t tag, std::uint32_t events) const {
    epoll_event event{};
    event.events = events;
    event.data.u64 = tag;
    if (epoll_ctl(epoll_.fd(), EPOLL_CTL_ADD, fd, &event) != 0) {
      throw Error(fmt::format("cannot wait for requests: {}", std::strerror(errno)));
    }
  }

  bool is_over() const {
    if (!stopping_) return false;
    const bool is_all_said = std::ranges::none_of(connections_, [](const auto& one) {
      const ConnectionState state = one.second->state();
      return state == ConnectionState::reading || state == ConnectionState::waiting ||
             state == ConnectionState::writing;
    });
    return (is_all_said && !scheduler_.is_busy()) || now_ns() > finish_by_ns_;
  }

  void take_events() {
    std::int64_t until_ns = std::min(scheduler_.next_ns(), next_look_ns_);
    for (std::size_t i = 0; workers_ != nullptr && i < workers_->size(); ++i) {
      until_ns = std::min(until_ns, workers_->at(i).next_ns());
    }
    const std::int64_t left_ns = std::max<std::int64_t>(0, until_ns - now_ns());
    const timespec most{.tv_sec = left_ns / 1'000'000'000, .tv_nsec = left_ns % 1'000'000'000};
    std::array<epoll_event, 256> events;
    const int count = epoll_pwait2(epoll_.fd(), events.data(), static_cast<int>(events.size()), &most, nullptr);
    if (count < 0 && errno != EINTR) throw Error(fmt::format("cannot wait for requests: {}", std::strerror(errno)));
    if (partition_ && now_ns() >= partition_->next_ns()) partition_->settle(now_ns());
    if (worker_partition_ && now_ns() >= worker_partition_->next_ns()) worker_partition_->settle(now_ns());
    take_worker_events(std::span(events).first(static_cast<std::size_t>(std::max(count, 0))));
    // The device first: what it has done is not to wait until the others are read.
    scheduler_.advance();
    for (int i = 0; i < count; ++i) {
      take_event(events[static_cast<std::size_t>(i)].data.u64, events[static_cast<std::size_t>(i)].events);
    }
    scheduler_.advance();
  }

  void take_worker_events(std::span<const epoll_event> events) {
    if (workers_ == nullptr) return;
    for (const epoll_event& event : events) {
      if (event.data.u64 >= kWorkerTags) workers_->at(event.data.u64 - kWorkerTags).take_events();
    }
    for (std::size_t i = 0; i < workers_->size(); ++i) {
      if (now_ns() >= workers_->at(i).next_ns()) workers_->at(i).take_events();
    }
  }

  void take_event(std::uint64_t tag, std::uint32_t events) {
    if (tag >= kWorkerTags) return;  // it was taken first
    if (tag >= kPartTags) return partition_->take_wake(tag - kPartTags);
    if (tag == kListenTag) return accept_all();
    if (tag == kStopTag) return stop();
    if (tag == kWakeTag) return device_.take_wake();
    if (tag == kPostTag) return take_posted();
    const auto found = connections_.find(tag);
    if (found == connections_.end()) return;
    ServeConnection& connection = *found->second;
    if ((events & (EPOLLIN | EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0) {
      connection.let_read((events & EPOLLRDHUP) != 0);
    }
    if ((events & (EPOLLHUP | EPOLLERR)) != 0) return hang_up(connection);
    if ((events & EPOLLOUT) != 0 && connection.state() == ConnectionState::writing) connection.transmit();
    serve(connection);
  }

  // Reads and answers as long as it can go on without waiting.
  void serve(ServeConnection& connection) {
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
      if (!count_memory(connection)) return;
      if (input == ServeConnection::Input::none) {
        connection.send_continue();
        if (!connection.may_read()) return;
        continue;
      }
      answer(connection);
    }
    if (connection.state() == ConnectionState::draining) connection.drain(buffer_);
  }

  bool count_memory(ServeConnection& connection) {
    const std::size_t held = connection.reader().held_bytes();
    memory_bytes_ += held - std::exchange(connection.held_bytes, held);
    if (memory_bytes_ <= limits_.memory_bytes || connection.reader().has_begun() == false) return true;
    refuse(connection, {503, "the requests that are being received take all the memory: try again later"});
    return false;
  }

  // The answer is the last one: what follows cannot be understood, or is not wanted.
  void refuse(ServeConnection& connection, const Refusal& refusal) {
    HttpAnswer answer = error_answer(refusal);
    answer.stays_open = false;
    say(connection, answer);
  }

  void say(ServeConnection& connection, const HttpAnswer& answer) {
    append_answer(connection.out(), answer);
    send(connection, answer.stays_open);
  }

  void send(ServeConnection& connection, bool stays_open) {
    connection.deadline_ns = now_ns() + nanoseconds(limits_.request_s);
    connection.send_whole(stays_open);
    if (connection.state() != ConnectionState::draining) return;
    connection.deadline_ns = now_ns() + nanoseconds(kDrain_s);
    connection.drain(buffer_);
  }

  bool stays_open(const ServeConnection& connection) const { return connection.reader().stays_open() && !stopping_; }

  void answer(ServeConnection& connection) {
    const HttpHead& head = connection.reader().head();
    if (head.is_encoded) return say_refusal(connection, {415, "compressed requests are not taken"});
    ApiCall call = route(scheduler_, head, connections_.size());
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

  void say_refusal(ServeConnection& connection, const Refusal& refusal) {
    HttpAnswer answer = error_answer(refusal);
    answer.stays_open = stays_open(connection);
    say(connection, answer);
  }

  void infer(ServeConnection& connection, ModelQueue& queue) {
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
    const Refusal wrong = connection.infer_reader().read(queue.model(), body, json_bytes, queue.rule().most_rows,
                                                         message, queue.version());
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

  // Of the scheduler: a request has ended.
  void finish(PendingRequest& request, const Refusal& refusal) {
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
      if (owner_.on_answered) owner_.on_answered({connection.peer_port(), number, request.times});
    }
    answered_.push_back(&connection);
  }

  static ServeConnection& connection_of(PendingRequest& request) {
    return *static_cast<ServeConnection*>(request.owner);
  }

  // What is to be done after a round of events: clients that sent more, loads that ended, connections that closed.
  void settle() {
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

  HttpAnswer load_answer(const ServeConnection& one) const {
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

  void hang_up(ServeConnection& connection) {
    if (connection.state() == ConnectionState::waiting && !std::ranges::count(loaders_, &connection)) {
      scheduler_.withdraw(connection.pending);
    }
    connection.close();
  }

  void accept_all() {
    for (;;) {
      sockaddr_storage from{};
      socklen_t size = sizeof from;
      const int fd = accept4(listener_.fd(), reinterpret_cast<sockaddr*>(&from), &size, SOCK_NONBLOCK | SOCK_CLOEXEC);
      if (fd < 0) return;
      const int yes = 1;
      setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
      if (connections_.size() >= static_cast<std::size_t>(limits_.connections)) make_room();
      const std::uint64_t tag = next_tag_++;
      auto made = std::make_unique<ServeConnection>(fd, port_of(from), limits_.request_bytes, body_memory_);
      made->pending.owner = made.get();
      made->idle_since_ns = now_ns();
      ServeConnection& connection = *made;
      connections_.emplace(tag, std::move(made));
      watch(fd, tag, EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET);
      if (connections_.size() > static_cast<std::size_t>(limits_.connections)) {
        refuse(connection,
               {503, fmt::format("{} connections are open, which is the limit (--connections)", limits_.connections)});
        connection.close();
      }
    }
  }

  // The connection on which nothing was asked for longest ends, so that another can begin.
  void make_room() {
    drop_closed();
    if (connections_.size() < static_cast<std::size_t>(limits_.connections)) return;
    ServeConnection* longest = nullptr;
    for (const auto& [tag, one] : connections_) {
      if (one->state() != ConnectionState::idle) continue;
      if (longest == nullptr || one->idle_since_ns < longest->idle_since_ns) longest = one.get();
    }
    if (longest != nullptr) longest->close();
    drop_closed();
  }

  void look_at_times() {
    const std::int64_t at_ns = now_ns();
    next_look_ns_ = at_ns + nanoseconds(kLook_s);
    for (const auto& [tag, one] : connections_) {
      const ConnectionState state = one->state();
      if (state == ConnectionState::idle || state == ConnectionState::waiting || at_ns < one->deadline_ns) continue;
      if (state == ConnectionState::reading) {
        refuse(*one, {408, fmt::format("the request did not come within {}", format_duration(limits_.request_s))});
      } else {
        one->close();
      }
    }
    drop_closed();
  }

  // Those in a batch stay until it has ended.
  void drop_closed() {
    std::erase_if(connections_, [&](const auto& entry) {
      const ServeConnection& one = *entry.second;
      if (one.state() != ConnectionState::closed || one.pending.is_in_batch) return false;
      if (std::ranges::count(loaders_, &one) > 0 || std::ranges::count(answered_, &one) > 0) return false;
      memory_bytes_ -= one.held_bytes;
      return true;
    });
  }

  void stop() {
    if (stopping_) return;
    stopping_ = true;
    finish_by_ns_ = now_ns() + nanoseconds(kFinish_s);
    for (const int fd : {listener_.fd(), stop_fd_}) epoll_ctl(epoll_.fd(), EPOLL_CTL_DEL, fd, nullptr);
    for (const auto& [tag, one] : connections_) {
      if (one->state() == ConnectionState::idle) serve(*one);
    }
  }

  void take_posted() {
    std::uint64_t count = 0;
    [[maybe_unused]] const int read = eventfd_read(post_.fd(), &count);
    std::vector<std::function<void()>> posted;
    {
      const std::scoped_lock lock(mutex_);
      posted.swap(posted_);
    }
    for (const auto& one : posted) one();
  }

  const ModelServer& owner_;
  ServeLimits limits_;
  WorkerCrew* workers_;
  BodyMemory& body_memory_;
  ListeningSocket listener_;
  EmulatedAccelerator device_;
  std::optional<EmulatedPartition> partition_;
  std::optional<WorkerPartition> worker_partition_;
  Scheduler scheduler_;
  ClientSocket epoll_;
  ClientSocket post_;
  std::vector<char> buffer_;
  std::unordered_map<std::uint64_t, std::unique_ptr<ServeConnection>> connections_;
  std::uint64_t next_tag_ = kFirstTag;
  std::vector<ServeConnection*> answered_;  // to be looked at again: they may have sent more
  std::vector<ServeConnection*> loaders_;   // that wait for a load
  std::size_t memory_bytes_ = 0;
  std::int64_t next_look_ns_ = 0;
  int stop_fd_ = -1;
  bool stopping_ = false;
  std::int64_t finish_by_ns_ = 0;
  std::mutex mutex_;
  std::vector<std::function<void()>> posted_;
};

ModelServer::ModelServer(const ListenAddress& address, std::vector<ServedModel> models, const ServeSettings& settings,
                         const ServeLimits& limits)
    : loop_(std::make_unique<Loop>(address, std::move(models), nullptr, settings, limits, *this)) {}
ModelServer::ModelServer(const ListenAddress& address, WorkerCrew& workers, const ServeSettings& settings,
                         const ServeLimits& limits)
    : loop_(std::make_unique<Loop>(address, std::vector<ServedModel>{}, &workers, settings, limits, *this)) {}
ModelServer::~ModelServer() = default;

int ModelServer::port() const { return loop_->port(); }
void ModelServer::run(int stop_fd) { loop_->run(stop_fd); }

void ModelServer::set(const ServeSettings& settings) {
  loop_->post([this, settings] { loop_->scheduler().set(settings); });
}

void ModelServer::reload(const std::string& model) {
  loop_->post([this, model] {
    Scheduler& scheduler = loop_->scheduler();
    if (ModelQueue* const queue = scheduler.find(model)) queue->load(now_ns(), scheduler.settings().reload);
  });
}

}  // namespace stash
