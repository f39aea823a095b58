#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "stash/launch/collector.h"

namespace stash {

// What a run does, how precise it is and how long it may still take, in one line. Has no clock: `now_ns` is the
// monotonic time. The ledger is worked out anew only when a round is complete.
class ProgressText {
 public:
  std::string line(const Collector& collector, std::int64_t now_ns);

 private:
  void note_round(const Collector& collector, std::int64_t now_ns);

  std::optional<int> rounds_;  // complete when the rest was worked out
  std::string widest_;
  std::int64_t end_ns_ = 0;  // the run ends no later, if rounds take as long as so far
};

}  // namespace stash
