#include "stash/serve/load/run_load.h"

#include <fmt/format.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>

#include "stash/core/clock.h"
#include "stash/core/error.h"
#include "stash/serve/load/load_connection.h"

namespace stash {
namespace {

constexpr double kLead_s = 0.05;  // from the last preparation to the start of the plan
constexpr double kTick_s = 0.2;
constexpr double kConnect_s = 5;
constexpr std::uint64_t kStopEvent = ~std::uint64_t{0};
constexpr std::int64_t kMostLate_ns = 10'000;  // of a request, while answers are read
constexpr std::size_t kReadBytes = 256 * 1024;

class LoadRunner {
 public:
  LoadRunner(const LoadTarget& target, const std::string& request, const ArrivalPlan& plan, const LoadOptions& options)
      : address_(target), request_(request), plan_(plan), options_(options), epoll_(epoll_create1(EPOLL_CLOEXEC)) {
    if (!epoll_.is_open()) throw Error(fmt::format("cannot wait for answers: {}", std::strerror(errno)));
    run_.requests.reserve(plan.size());
    buffer_.resize(kReadBytes);
  }

  LoadRun run() {
    connect_all();
    use_precise_sleep();
    start_ns_ = run_.start_ns = now_ns() + nanoseconds(kLead_s);
    if (options_.on_start) options_.on_start(start_ns_);
    while (!is_over()) {
      send_what_is_due();
      wait_for_events();
      for (const std::size_t i : std::exchange(closed_, {})) reconnect(i);
      tick();
    }
    if (run_.interrupted) {
      std::erase_if(run_.requests, [](const SentRequest& one) { return one.done_ns < 0; });
      return std::move(run_);
    }
    // What was due and never found a free connection.
    while (run_.requests.size() < due_) run_.requests.push_back({.planned_ns = plan_[run_.requests.size()]});
    return std::move(run_);
  }

 private:
  std::int64_t elapsed_ns() const { return now_ns() - start_ns_; }

  void connect_all() {
    // The first one tells whether anybody is there.
    address_.connect(kConnect_s);
    for (int i = 0; i < options_.connections; ++i) {
      connections_.emplace_back();
      is_made_.push_back(false);
      connect(static_cast<std::size_t>(i));
    }
    if (options_.stop_fd >= 0) listen_to(options_.stop_fd, kStopEvent, EPOLLIN, EPOLL_CTL_ADD);
    const std::int64_t deadline_ns = now_ns() + nanoseconds(kConnect_s);
    start_ns_ = deadline_ns;
    while (ready_.size() < connections_.size() && now_ns() < deadline_ns && !run_.interrupted) take_events(10'000'000);
  }

  void connect(std::size_t i) {
    connections_[i] = std::make_unique<LoadConnection>(address_, request_);
    listen_to(connections_[i]->fd(), i, EPOLLOUT, EPOLL_CTL_ADD);
  }

  void listen_to(int fd, std::uint64_t tag, std::uint32_t events, int how) const {
    epoll_event event{};
    event.events = events;
    event.data.u64 = tag;
    if (epoll_ctl(epoll_.fd(), how, fd, &event) != 0) {
      throw Error(fmt::format("cannot wait for answers: {}", std::strerror(errno)));
    }
  }

  bool is_over() {
    if (run_.interrupted) return true;
    if (next_ < plan_.size()) {
      // The plan's last requests wait for a connection no longer than for an answer.
      return elapsed_ns() > plan_.back() + nanoseconds(options_.timeout_s);
    }
    return answered_ + lost_ >= next_;
  }

  void send_what_is_due() {
    const std::int64_t now = elapsed_ns();
    while (due_ < plan_.size() && plan_[due_] <= now) ++due_;
    while (next_ < due_ && !ready_.empty()) {
      const std::size_t i = ready_.front();
      LoadConnection& connection = *connections_[i];
      run_.requests.push_back(
          {.planned_ns = plan_[next_], .sent_ns = now, .port = connection.port(), .number = connection.added()});
      connection.add(static_cast<std::uint32_t>(next_++));
      if (dirty_.empty() || dirty_.back() != i) dirty_.push_back(i);
      if (has_room(connection)) continue;
      ready_.pop_front();
    }
    // The next requests go to other connections.
    if (!dirty_.empty() && !ready_.empty() && ready_.front() == dirty_.back()) {
      ready_.push_back(ready_.front());
      ready_.pop_front();
    }
    for (const std::size_t i : dirty_) transmit(i);
    dirty_.clear();
  }

  bool has_room(const LoadConnection& connection) const {
    return connection.in_flight() < static_cast<std::size_t>(options_.in_flight);
  }

  void transmit(std::size_t i) {
    if (!connections_[i]) return;
    LoadConnection& connection = *connections_[i];
    connection.transmit();
    if (connection.state() == LoadConnection::State::broken) return replace(i);
    if (connection.wants_to_send()) listen_to(connection.fd(), i, EPOLLIN | EPOLLOUT, EPOLL_CTL_MOD);
  }

  void wait_for_events() {
    const bool may_send = next_ < plan_.size() && !ready_.empty();
    const std::int64_t tick_ns = last_tick_ns_ + nanoseconds(kTick_s) - elapsed_ns();
    const std::int64_t left_ns = may_send ? std::min(tick_ns, plan_[next_] - elapsed_ns()) : tick_ns;
    take_events(std::max<std::int64_t>(0, left_ns));
  }

  void take_events(std::int64_t most_ns) {
    std::array<epoll_event, 256> events;
    const timespec most{.tv_sec = most_ns / 1'000'000'000, .tv_nsec = most_ns % 1'000'000'000};
    const int count = epoll_pwait2(epoll_.fd(), events.data(), static_cast<int>(events.size()), &most, nullptr);
    if (count < 0 && errno != EINTR) throw Error(fmt::format("cannot wait for answers: {}", std::strerror(errno)));
    for (int i = 0; i < count; ++i) {
      if (events[static_cast<std::size_t>(i)].data.u64 == kStopEvent) {
        run_.interrupted = true;
      } else {
        take_event(events[static_cast<std::size_t>(i)].data.u64, events[static_cast<std::size_t>(i)].events);
      }
      // Reading many answers must not hold up what is to be sent meanwhile.
      if (is_late()) send_what_is_due();
    }
  }
  bool is_late() const { return next_ < plan_.size() && !ready_.empty() && elapsed_ns() > plan_[next_] + kMostLate_ns; }

  void take_event(std::size_t i, std::uint32_t events) {
    if (!connections_[i]) return;  // it broke a moment ago
    LoadConnection& connection = *connections_[i];
    if (connection.state() == LoadConnection::State::connecting) return finish_connecting(i);
    if ((events & EPOLLOUT) != 0) {
      connection.transmit();
      if (!connection.wants_to_send()) listen_to(connection.fd(), i, EPOLLIN, EPOLL_CTL_MOD);
    }
    if ((events & (EPOLLIN | EPOLLHUP | EPOLLERR)) != 0) receive(i);
    if (connections_[i]->state() == LoadConnection::State::broken) replace(i);
  }

  void finish_connecting(std::size_t i) {
    LoadConnection& connection = *connections_[i];
    connection.finish_connecting();
    if (connection.state() == LoadConnection::State::broken) return replace(i);
    listen_to(connection.fd(), i, EPOLLIN, EPOLL_CTL_MOD);
    is_made_[i] = true;
    ready_.push_back(i);
  }

  void receive(std::size_t i) {
    LoadConnection& connection = *connections_[i];
    const bool had_room = has_room(connection);
    connection.receive(buffer_, [&](std::uint32_t number, int status) {
      run_.requests[number].done_ns = elapsed_ns();
      run_.requests[number].status = status;
      ++answered_;
    });
    if (!had_room && has_room(connection) && connection.state() == LoadConnection::State::open) ready_.push_back(i);
  }

  // Its requests get no answer any more. Another connection is made at once, unless this one never came about.
  void replace(std::size_t i) {
    lost_ += connections_[i]->in_flight();
    std::erase(ready_, i);
    const bool never_came = connections_[i]->state() == LoadConnection::State::connecting || !is_made_[i];
    (never_came ? for_next_tick_ : closed_).push_back(i);
    is_made_[i] = false;
    connections_[i] = nullptr;
  }

  void tick() {
    if (elapsed_ns() < last_tick_ns_ + nanoseconds(kTick_s)) return;
    last_tick_ns_ = elapsed_ns();
    give_up_on_the_late();
    for (const std::size_t i : std::exchange(for_next_tick_, {})) reconnect(i);
    if (options_.on_tick) options_.on_tick(run_.requests.size(), answered_);
  }

  void give_up_on_the_late() {
    const std::int64_t oldest = elapsed_ns() - nanoseconds(options_.timeout_s);
    for (std::size_t i = 0; i < connections_.size(); ++i) {
      if (!connections_[i] || connections_[i]->in_flight() == 0) continue;
      if (run_.requests[connections_[i]->numbers().front()].sent_ns < oldest) replace(i);
    }
  }

  void reconnect(std::size_t i) {
    try {
      connect(i);
    } catch (const Error&) {
      for_next_tick_.push_back(i);
    }
  }

  ServerAddress address_;
  const std::string& request_;
  const ArrivalPlan& plan_;
  const LoadOptions& options_;
  ClientSocket epoll_;
  std::vector<std::unique_ptr<LoadConnection>> connections_;  // nullptr: broken
  std::deque<std::size_t> ready_;                             // connections that take another request
  std::vector<std::size_t> dirty_;                            // that have something to send
  std::vector<std::size_t> closed_;                           // to be made again
  std::vector<std::size_t> for_next_tick_;                    // the same, later
  std::vector<bool> is_made_;
  std::vector<char> buffer_;
  std::int64_t start_ns_ = 0;
  std::int64_t last_tick_ns_ = 0;
  std::size_t due_ = 0;   // requests whose time has come
  std::size_t next_ = 0;  // the first that was not sent
  std::size_t answered_ = 0;
  std::size_t lost_ = 0;
  LoadRun run_;
};

}  // namespace

LoadRun run_load(const LoadTarget& target, const std::string& request, const ArrivalPlan& plan,
                 const LoadOptions& options) {
  return LoadRunner(target, request, plan, options).run();
}

}  // namespace stash
