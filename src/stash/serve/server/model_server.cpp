#include "stash/serve/server/model_server.h"

#include <fmt/format.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <utility>

#include "stash/core/clock.h"
#include "stash/core/error.h"
#include "stash/core/units.h"
#include "stash/serve/batching/scheduler.h"
#include "stash/serve/server/connection_table.h"
#include "stash/serve/server/emulated_accelerator.h"
#include "stash/serve/server/emulated_partition.h"
#include "stash/serve/server/listening_socket.h"
#include "stash/serve/server/request_desk.h"
#include "stash/serve/worker/worker_partition.h"

namespace stash {
namespace {

using ConnectionState = ServeConnection::State;

constexpr double kLook_s = 0.1;   // between looks at what is over time
constexpr double kFinish_s = 10;  // for what was accepted, when the server is to end
constexpr std::uint64_t kListenTag = 0, kStopTag = 1, kWakeTag = 2, kPostTag = 3, kFirstTag = 4;
constexpr std::uint64_t kPartTags = std::uint64_t{1} << 62;
constexpr std::uint64_t kWorkerTags = std::uint64_t{1} << 63;  // with the worker's place

}  // namespace

class ModelServer::Loop {
 public:
  Loop(const ListenAddress& address, std::vector<ServedModel> models, WorkerCrew* workers,
       const ServeSettings& settings, const ServeLimits& limits, const ModelServer& owner)
      : limits_(limits),
        workers_(workers),
        body_memory_(workers != nullptr ? static_cast<BodyMemory&>(workers->arena()) : own_body_memory()),
        listener_(address),
        table_(limits_, body_memory_, kFirstTag),
        scheduler_(world(), settings),
        desk_(limits_, scheduler_, table_),
        epoll_(epoll_create1(EPOLL_CLOEXEC)),
        post_(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
    desk_.on_answered = [&owner](const ServedRequest& request) {
      if (owner.on_answered) owner.on_answered(request);
    };
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
      desk_.settle();
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
            .done = [this](PendingRequest& request, const Refusal& refusal) { desk_.finish(request, refusal); }};
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
    bool is_all_said = true;
    table_.for_each([&](const ServeConnection& one) {
      const ConnectionState state = one.state();
      is_all_said = is_all_said && state != ConnectionState::reading && state != ConnectionState::waiting &&
                    state != ConnectionState::writing;
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
    ServeConnection* const found = table_.find(tag);
    if (found == nullptr) return;
    ServeConnection& connection = *found;
    if ((events & (EPOLLIN | EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0) {
      connection.let_read((events & EPOLLRDHUP) != 0);
    }
    if ((events & (EPOLLHUP | EPOLLERR)) != 0) return desk_.hang_up(connection);
    if ((events & EPOLLOUT) != 0 && connection.state() == ConnectionState::writing) connection.transmit();
    desk_.serve(connection);
  }

  void accept_all() {
    while (const auto accepted = table_.accept(listener_.fd())) {
      watch(accepted->fd, accepted->tag, EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET);
      if (!table_.is_over_limit()) continue;
      desk_.refuse(
          accepted->connection,
          {503, fmt::format("{} connections are open, which is the limit (--connections)", limits_.connections)});
      accepted->connection.close();
    }
  }

  void look_at_times() {
    const std::int64_t at_ns = now_ns();
    next_look_ns_ = at_ns + nanoseconds(kLook_s);
    table_.for_each([&](ServeConnection& one) {
      const ConnectionState state = one.state();
      if (state == ConnectionState::idle || state == ConnectionState::waiting || at_ns < one.deadline_ns) return;
      if (state == ConnectionState::reading) {
        desk_.refuse(one, {408, fmt::format("the request did not come within {}", format_duration(limits_.request_s))});
      } else {
        one.close();
      }
    });
    table_.drop_closed();
  }

  void stop() {
    if (stopping_) return;
    stopping_ = true;
    finish_by_ns_ = now_ns() + nanoseconds(kFinish_s);
    for (const int fd : {listener_.fd(), stop_fd_}) epoll_ctl(epoll_.fd(), EPOLL_CTL_DEL, fd, nullptr);
    desk_.stop();
    table_.for_each([&](ServeConnection& one) {
      if (one.state() == ConnectionState::idle) desk_.serve(one);
    });
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

  ServeLimits limits_;
  WorkerCrew* workers_;
  BodyMemory& body_memory_;
  ListeningSocket listener_;
  EmulatedAccelerator device_;
  std::optional<EmulatedPartition> partition_;
  std::optional<WorkerPartition> worker_partition_;
  ConnectionTable table_;
  Scheduler scheduler_;
  RequestDesk desk_;
  ClientSocket epoll_;
  ClientSocket post_;
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
