#include "stash/serve/server/emulated_accelerator.h"

#include <fmt/format.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <limits>

#include "stash/core/clock.h"
#include "stash/core/error.h"

namespace stash {
namespace {

constexpr std::int64_t kPoll_ns = 50'000;
constexpr std::int64_t kNever_ns = std::numeric_limits<std::int64_t>::max();

void wait_until(std::int64_t end_ns, CompletionWay way) {
  while (now_ns() < end_ns) {
    if (way == CompletionWay::blocking) sleep_until_ns(end_ns);
    if (way == CompletionWay::polling) sleep_until_ns(now_ns() + kPoll_ns);
  }
}

}  // namespace

EmulatedAccelerator::EmulatedAccelerator() : wake_fd_(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
  if (wake_fd_ < 0) throw Error(fmt::format("cannot make an event: {}", std::strerror(errno)));
  thread_ = std::thread([this] { wait_for_work(); });
}

EmulatedAccelerator::~EmulatedAccelerator() {
  // What it may still wait for is finished first.
  while (awaited_ns_.load() > 0) sleep_until_ns(now_ns() + kPoll_ns);
  awaited_ns_.store(-1);
  awaited_ns_.notify_one();
  thread_.join();
  close(wake_fd_);
}

void EmulatedAccelerator::start(std::int64_t now_ns, std::int64_t work_ns, CompletionWay way) {
  finish_ns_ = now_ns + work_ns;
  way_ = way;
  if (way == CompletionWay::event) return;
  is_seen_.store(false);
  awaited_way_.store(way);
  awaited_ns_.store(finish_ns_);
  awaited_ns_.notify_one();
}

bool EmulatedAccelerator::is_noticed(std::int64_t now_ns) const {
  return way_ == CompletionWay::event ? now_ns >= finish_ns_ : is_seen_.load();
}

std::int64_t EmulatedAccelerator::look_ns() const { return way_ == CompletionWay::event ? finish_ns_ : kNever_ns; }

void EmulatedAccelerator::take_wake() {
  std::uint64_t count = 0;
  [[maybe_unused]] const int read = eventfd_read(wake_fd_, &count);
}

void EmulatedAccelerator::wait_for_work() {
  use_precise_sleep();
  while (true) {
    awaited_ns_.wait(0);
    const std::int64_t end_ns = awaited_ns_.load();
    if (end_ns < 0) return;
    if (end_ns == 0) continue;
    wait_until(end_ns, awaited_way_.load());
    awaited_ns_.store(0);
    is_seen_.store(true);
    eventfd_write(wake_fd_, 1);
  }
}

}  // namespace stash
