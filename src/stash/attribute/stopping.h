#pragma once

#include <optional>

#include "stash/core/ledger.h"

namespace stash {

// One disturbed round shows among five, and chance seldom makes the spread of five look half as large as it is.
inline constexpr int kMinRounds = 5;

struct WidestInterval {
  std::optional<Part> part;  // nullopt: the step, where no part was measured
  double half_width_s = 0;
};

WidestInterval widest_interval(const Ledger& ledger);

// Every part's 95 % interval is within +- precision_ratio of the step.
bool narrow_enough(const Ledger& ledger, double precision_ratio);
// The same after at least kMinRounds rounds.
bool precise_enough(const Ledger& ledger, double precision_ratio);

// Tells after which round a run is precise: the second in a row after which every interval is narrow. Rounds that go on
// until the spread looks small end when chance makes it look small; docs/metrics.md has what that costs in coverage.
class PrecisionRule {
 public:
  explicit PrecisionRule(double precision_ratio) : precision_ratio_(precision_ratio) {}
  bool met_after(const Ledger& ledger);  // once for each round, in order

 private:
  double precision_ratio_;
  bool narrow_before_ = false;
};

// The other half of that: where more than kMinRounds rounds were needed, the interval that they were needed for claims
// no more than the precision that was asked for.
void keep_to_target(Ledger& ledger, double precision_ratio);

// How many rounds more that will take if the spread stays as it is; nullopt: more than anyone waits for.
std::optional<int> rounds_still_needed(const Ledger& ledger, double precision_ratio);

}  // namespace stash
