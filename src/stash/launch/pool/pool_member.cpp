#include "stash/launch/pool/pool_member.h"

#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "stash/core/clock.h"
#include "stash/core/error.h"
#include "stash/launch/pool/pool_socket.h"

namespace stash {
namespace {

constexpr double kJoin_s = 1;
constexpr double kLookAgain_s = 2;  // for a new pool
constexpr double kShortestReport_s = 0.02;

double process_cpu_s() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  const auto of = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return of(used.ru_utime) + of(used.ru_stime);
}

}  // namespace

PoolMember::PoolMember(const PoolSeat& seat, const Rank& rank)
    : seat_(seat), rank_(rank), stop_(eventfd(0, EFD_CLOEXEC)), workers_(rank.workers), most_workers_(rank.workers) {
  join();
}

PoolMember::~PoolMember() { end(); }

void PoolMember::end() {
  const std::uint64_t one = 1;
  if (write(stop_.get(), &one, sizeof one) < 0) return;  // never: its counter has room
  if (thread_.joinable()) thread_.join();
  if (connection_.get() < 0) return;
  send_line(connection_.get(), to_line(PoolRequest{LeaveMessage{}}));
  connection_.close();
}

void PoolMember::start(std::function<LoadedSoFar()> loaded, std::function<void(int)> resize) {
  loaded_ = std::move(loaded);
  resize_ = std::move(resize);
  begin_window();
  resize_(workers_);
  started_ = true;
  thread_ = std::thread([this] { run(); });
  pthread_setname_np(thread_.native_handle(), "stash-pool");
}

// False: there is no pool, or it wants nothing of this job.
bool PoolMember::join() {
  try {
    connect_to_pool(seat_.socket, connection_);
  } catch (const Error&) {
    return false;  // another user's: none for us
  }
  if (connection_.get() < 0) return false;
  reader_.emplace(connection_.get(), kMostPoolLine);
  const JoinMessage join{.name = seat_.name,
                         .job = seat_.job,
                         .rank = rank_.rank,
                         .ranks_here = rank_.ranks_here,
                         .pid = static_cast<int>(getpid()),
                         .workers = rank_.workers,
                         .min_workers = seat_.min_workers,
                         .max_workers = seat_.max_workers};
  if (!send_line(connection_.get(), to_line(PoolRequest{join}))) connection_.close();
  answered_ = false;
  const std::int64_t deadline_ns = now_ns() + nanoseconds(kJoin_s);
  while (!answered_ && !stopping_ && connection_.get() >= 0 && now_ns() < deadline_ns) listen(deadline_ns);
  if (!answered_) connection_.close();
  return connection_.get() >= 0;
}

// Takes what the pool says, until it has said something, the time has come or the thread is to end.
void PoolMember::listen(std::int64_t until_ns) {
  std::array<pollfd, 2> polled{{{stop_.get(), POLLIN, 0}, {connection_.get(), POLLIN, 0}}};
  const std::int64_t left_ns = std::max<std::int64_t>(until_ns - now_ns(), 0);
  const int count = connection_.get() >= 0 ? 2 : 1;
  poll(polled.data(), static_cast<nfds_t>(count), static_cast<int>((left_ns + 999'999) / 1'000'000));
  if (polled[0].revents != 0) stopping_ = true;
  if (count < 2 || polled[1].revents == 0) return;
  if (!reader_->read_lines([this](std::string_view line) { take(line); })) connection_.close();
}

void PoolMember::take(std::string_view line) {
  try {
    const PoolReply reply = reply_from_line(line);
    if (const auto* share = std::get_if<ShareMessage>(&reply)) {
      if (!started_) most_workers_ = std::max(share->most_workers, rank_.workers);
      report_s_ = std::max(share->report_s, kShortestReport_s);
      answered_ = true;
      workers_ = std::clamp(share->workers, 1, most_workers_.load());
      if (resize_) resize_(workers_);
      begin_window();
    } else {
      refused_ = true;
      connection_.close();
    }
  } catch (const Error&) {
    connection_.close();  // it speaks another language
  }
}

void PoolMember::begin_window() {
  if (!loaded_) return;
  before_ = loaded_();
  reported_ns_ = now_ns();
}

void PoolMember::report() {
  const LoadedSoFar now = loaded_();
  reported_ns_ = now_ns();
  const ReportMessage report{.workers = workers_,
                             .elapsed_s = seconds(now.at_ns - before_.at_ns),
                             .samples = now.samples - before_.samples,
                             .batches = now.batches - before_.batches,
                             .waited_s = now.waited_s - before_.waited_s,
                             .busy_s = now.busy_s - before_.busy_s,
                             .cpu_s = process_cpu_s(),
                             .samples_left = now.samples_left};
  before_ = now;
  if (!send_line(connection_.get(), to_line(PoolRequest{report}))) connection_.close();
}

void PoolMember::run() {
  std::int64_t look_ns = 0;
  while (!stopping_) {
    if (connection_.get() < 0) {
      if (!refused_ && now_ns() >= look_ns) {
        look_ns = now_ns() + nanoseconds(kLookAgain_s);
        if (join()) {
          resize_(workers_);
          begin_window();
        }
      }
      if (connection_.get() < 0) listen(look_ns > now_ns() ? look_ns : now_ns() + nanoseconds(kLookAgain_s));
      continue;
    }
    const std::int64_t due_ns = reported_ns_ + nanoseconds(report_s_);
    if (now_ns() >= due_ns) {
      report();
    } else {
      listen(due_ns);
    }
  }
}

}  // namespace stash
