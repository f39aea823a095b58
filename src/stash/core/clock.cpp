#include "stash/core/clock.h"

#include <sys/prctl.h>

#include <cerrno>
#include <ctime>

namespace stash {

namespace {

constexpr std::int64_t kNsPerS = 1'000'000'000;
constexpr unsigned long kTimerSlackNs = 1'000;

}  // namespace

std::int64_t now_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::int64_t>(now.tv_sec) * kNsPerS + now.tv_nsec;
}

void sleep_until_ns(std::int64_t deadline_ns) {
  if (deadline_ns <= 0) return;  // the clock never was negative, and a negative tv_nsec is invalid
  const timespec deadline{static_cast<time_t>(deadline_ns / kNsPerS), static_cast<long>(deadline_ns % kNsPerS)};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &deadline, nullptr) == EINTR) {
  }
}

void use_precise_sleep() { prctl(PR_SET_TIMERSLACK, kTimerSlackNs, 0, 0, 0); }

}  // namespace stash
