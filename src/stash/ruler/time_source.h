#pragma once

#include <cstdint>

namespace stash {

// The clock that a ruler reads: at the edges of rounds and where ranks compare their clocks, never inside a window. It
// is the one that the workload times its windows with.
class TimeSource {
 public:
  virtual ~TimeSource() = default;
  virtual std::int64_t now_ns() const = 0;  // monotonic
};

const TimeSource& monotonic_time();  // the system's, core/clock.h

}  // namespace stash
