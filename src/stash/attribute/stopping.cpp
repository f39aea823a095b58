#include "stash/attribute/stopping.h"

#include <cmath>

#include "stash/core/statistics.h"

namespace stash {

namespace {

constexpr int kMostRounds = 10'000;

double half_width_s(const Estimate& estimate) { return (estimate.high_s - estimate.low_s) / 2; }

// An interval's half width is this times the spread.
double width_factor(int rounds) { return student_t_quantile_975(rounds - 1) / std::sqrt(rounds); }

}  // namespace

WidestInterval widest_interval(const Ledger& ledger) {
  std::optional<WidestInterval> widest;
  for (const Part part : kParts) {
    if (!ledger[part]) continue;
    const double half_s = half_width_s(*ledger[part]);
    if (!widest || half_s > widest->half_width_s) widest = WidestInterval{part, half_s};
  }
  return widest ? *widest : WidestInterval{std::nullopt, half_width_s(ledger.step)};
}

bool precise_enough(const Ledger& ledger, double precision_ratio) {
  return ledger.rounds >= kMinRounds && widest_interval(ledger).half_width_s <= precision_ratio * ledger.step.s;
}

std::optional<int> rounds_still_needed(const Ledger& ledger, double precision_ratio) {
  const int rounds = ledger.rounds;
  const double target_s = precision_ratio * ledger.step.s;
  const double half_s = widest_interval(ledger).half_width_s;
  if (rounds < 2 || !(target_s > 0)) return std::nullopt;
  if (half_s <= target_s) return std::max(0, kMinRounds - rounds);
  const double wanted = width_factor(rounds) * target_s / half_s;
  for (int total = rounds + 1; total <= kMostRounds; ++total) {
    if (width_factor(total) <= wanted) return std::max(total, kMinRounds) - rounds;
  }
  return std::nullopt;
}

}  // namespace stash
