#pragma once

#include <cstdint>

namespace stash {

// Something emulated (an accelerator, a worker that is slowed down) has a time line of its own. Who comes to it this
// late or less is taken to be on time: sleeps end late, cores are busy, and real hosts run ahead of their accelerators.
inline constexpr std::int64_t kHiddenLatenessNs = 5'000'000;

// Where the next piece of work starts on a time line that is free from `free_ns` on.
inline std::int64_t next_start_ns(std::int64_t free_ns, std::int64_t now_ns) {
  return now_ns - free_ns <= kHiddenLatenessNs ? free_ns : now_ns;
}

}  // namespace stash
