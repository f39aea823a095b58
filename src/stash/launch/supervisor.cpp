#include "stash/launch/supervisor.h"

#include <poll.h>

#include <algorithm>
#include <csignal>

#include "stash/core/clock.h"
#include "stash/launch/hang.h"
#include "stash/launch/process/stop_signals.h"

namespace stash {
namespace {

constexpr int kPollMs = 50;
constexpr int kSoonPollMs = 5;         // while some ranks are free, and the others are about to be
constexpr double kPeersGrace_s = 1.0;  // for the others to report what they saw when one rank failed
constexpr double kTermGrace_s = 2.0;   // from SIGTERM to SIGKILL

// One watch over the ranks.
class Watch {
 public:
  Watch(std::vector<RankProcess>& ranks, SharedState& shared, const SupervisorOptions& options)
      : ranks_(ranks), shared_(shared), options_(options) {}

  Outcome run(const std::function<bool()>& is_free) {
    for (RankState& state : shared_.states()) state.beat(Phase::starting);
    while (any_alive() && !is_free()) {
      wait_for_input();
      read();
      reap();
      if (signals_.take()) interrupt();
      if (!outcome_.interrupted && options_.stop && options_.stop()) interrupt();
      check_for_a_hang();
      end_by_deadline();
      if (options_.on_tick) options_.on_tick();
    }
    read();  // a rank reports before it is free
    return std::move(outcome_);
  }

 private:
  bool any_alive() const {
    return std::any_of(ranks_.begin(), ranks_.end(), [](const RankProcess& rank) { return rank.alive(); });
  }

  void read() {
    for (RankProcess& rank : ranks_) rank.read(options_.on_event);
  }

  void wait_for_input() {
    std::vector<pollfd> fds{{signals_.fd(), POLLIN, 0}};
    for (const RankProcess& rank : ranks_) {
      for (const int fd : rank.fds()) {
        if (fd >= 0) fds.push_back({fd, POLLIN, 0});
      }
    }
    poll(fds.data(), fds.size(), shared_.some_finished() ? kSoonPollMs : kPollMs);
  }

  void reap() {
    for (RankProcess& rank : ranks_) {
      std::optional<RankEnd> end = rank.reap(options_.on_event);
      if (!end) continue;
      if (!end->clean()) end_within(kPeersGrace_s);
      outcome_.ends.push_back(std::move(*end));
    }
  }

  void interrupt() {
    if (outcome_.interrupted) return end_within(0);
    outcome_.interrupted = true;
    shared_.request_stop();
    end_within(options_.grace_s);
  }

  void check_for_a_hang() {
    if (term_at_ns_ != 0) return;
    const std::optional<int> hung =
        find_hung_rank(shared_.states(), now_ns(), nanoseconds(options_.deadline_s), options_.patience,
                       [&](int rank) { return ranks_[static_cast<std::size_t>(rank)].pid(); });
    if (!hung) return;
    outcome_.hung_rank = hung;
    outcome_.hung_in = shared_.rank(*hung).phase.load();
    end_within(0);
  }

  void end_within(double grace_s) {
    const std::int64_t at = now_ns() + nanoseconds(grace_s);
    if (term_at_ns_ == 0 || at < term_at_ns_) term_at_ns_ = at;
  }

  void end_by_deadline() {
    if (term_at_ns_ == 0) return;
    const std::int64_t now = now_ns();
    if (!terminated_ && now >= term_at_ns_) {
      signal_all(SIGTERM);
      terminated_ = true;
    } else if (terminated_ && now >= term_at_ns_ + nanoseconds(kTermGrace_s)) {
      signal_all(SIGKILL);
    }
  }

  void signal_all(int number) {
    for (RankProcess& rank : ranks_) rank.signal(number);
  }

  std::vector<RankProcess>& ranks_;
  SharedState& shared_;
  const SupervisorOptions& options_;
  StopSignals signals_;
  Outcome outcome_;
  std::int64_t term_at_ns_ = 0;  // 0: nobody has to end yet
  bool terminated_ = false;
};

}  // namespace

Supervisor::Supervisor(const std::vector<RankCommand>& commands, SharedState& shared) : shared_(shared) {
  try {
    for (const RankCommand& command : commands) {
      ranks_.emplace_back(static_cast<int>(ranks_.size()), command, shared.fd());
    }
  } catch (...) {
    for (RankProcess& rank : ranks_) rank.kill_and_wait();
    throw;
  }
}

Supervisor::~Supervisor() {
  for (RankProcess& rank : ranks_) rank.kill_and_wait();
}

Outcome Supervisor::watch(const SupervisorOptions& options) {
  return Watch(ranks_, shared_, options).run([this] { return is_free(); });
}

bool Supervisor::is_free() {
  return shared_.all_finished() &&
         std::all_of(ranks_.begin(), ranks_.end(), [](const RankProcess& rank) { return rank.runs(); });
}

}  // namespace stash
