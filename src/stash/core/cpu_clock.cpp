#include "stash/core/cpu_clock.h"

#include <ctime>

namespace stash {
namespace {

constexpr int kSpins = 2000;  // a few microseconds: reading the clock is a system call

}  // namespace

std::int64_t thread_cpu_ns() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

void keep_busy_until_cpu_ns(std::int64_t cpu_ns) {
  volatile int left = 0;
  while (thread_cpu_ns() < cpu_ns) {
    for (left = kSpins; left > 0;) left = left - 1;
  }
}

}  // namespace stash
