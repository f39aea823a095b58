#pragma once

#include <optional>

#include "stash/advise/candidate.h"

namespace stash {

// What "first" means: under a deadline the cheapest that meets it; under a budget the fastest that fits; under both
// the cheapest that meets both; under neither the smallest product of time and cost. Those that do not meet come
// after all that do, by how far they are from it. Without any price the fastest is first.
struct Goal {
  std::optional<double> deadline_s;
  std::optional<double> budget_usd;
  bool priced = true;  // every candidate has a price

  // The larger of time to deadline and cost to budget; above kMet: does not meet. 0 where neither is asked for.
  double excess(double time_s, double cost_usd) const;
  static constexpr double kMet = 1 + 1e-9;  // 40 h at $1.50 fit $60, however they are rounded
  bool meets(double time_s, double cost_usd) const { return excess(time_s, cost_usd) <= kMet; }

  // Smaller is better. Candidates that meet are compared by `amount` alone.
  struct Score {
    double excess = 0;  // 0 where it meets
    double amount = 0;
    auto operator<=>(const Score&) const = default;
  };
  Score score(double time_s, double cost_usd) const;

  // The most that a candidate of this time may cost to come before `other`; infinity: anything, nullopt: no price
  // does it.
  std::optional<double> cost_to_beat(const Candidate& other, double time_s) const;
  // The longest that a candidate of this price may take to come before `other`.
  double time_to_beat(const Candidate& other, double usd_per_s) const;
};

}  // namespace stash
