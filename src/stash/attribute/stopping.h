#pragma once

#include <optional>

#include "stash/core/ledger.h"

namespace stash {

// Simulated: from 5 rounds on, stopping as soon as the intervals are narrow leaves their coverage within 93-97 %,
// and one disturbed round shows among them.
inline constexpr int kMinRounds = 5;

struct WidestInterval {
  std::optional<Part> part;  // nullopt: the step, where no part was measured
  double half_width_s = 0;
};

WidestInterval widest_interval(const Ledger& ledger);

// Every part's 95 % interval is within +- precision_ratio of the step, after at least kMinRounds rounds.
bool precise_enough(const Ledger& ledger, double precision_ratio);

// How many rounds more that will take if the spread stays as it is; nullopt: more than anyone waits for.
std::optional<int> rounds_still_needed(const Ledger& ledger, double precision_ratio);

}  // namespace stash
