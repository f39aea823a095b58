#pragma once

#include <algorithm>
#include <cstdint>

#include "stash/core/clock.h"
#include "stash/ruler/time_source.h"

namespace stash {

// The time of one simulated rank: it passes when something is done, and not else. What the rank reads off it may be
// ahead of the others' clocks by an offset.
class SimulatedClock final : public TimeSource {
 public:
  explicit SimulatedClock(double offset_s = 0) : offset_ns_(nanoseconds(offset_s)) {}

  std::int64_t now_ns() const override { return true_ns_ + offset_ns_; }
  std::int64_t true_ns() const { return true_ns_; }
  void advance(double s) { true_ns_ += std::max<std::int64_t>(0, nanoseconds(s)); }
  void reach(std::int64_t true_ns) { true_ns_ = std::max(true_ns_, true_ns); }

 private:
  std::int64_t true_ns_ = 1'000'000'000;  // zero means "never" in many a log
  std::int64_t offset_ns_;
};

}  // namespace stash
