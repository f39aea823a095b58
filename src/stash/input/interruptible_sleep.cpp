#include "stash/input/interruptible_sleep.h"

#include <algorithm>

#include "stash/core/clock.h"

namespace stash {

namespace {

// A pipeline with hour-long injected reads still ends at once for a person.
constexpr std::int64_t kLongestSleepNs = 50'000'000;

}  // namespace

void sleep_unless(const std::atomic<bool>& stopped, std::int64_t deadline_ns) {
  for (std::int64_t now = now_ns(); now < deadline_ns && !stopped.load(); now = now_ns()) {
    sleep_until_ns(std::min(deadline_ns, now + kLongestSleepNs));
  }
}

}  // namespace stash
