#include "stash/attribute/stopping.h"

#include <cmath>
#include <utility>

#include "stash/core/statistics.h"

namespace stash {

namespace {

constexpr int kMostRounds = 10'000;
constexpr double kRounding = 1 + 1e-9;  // an interval that was kept to the target is not wider than it
// A round makes an interval narrower by a tenth or so. One that is far below the target was not waited for, or a
// disturbed round has been left out since.
constexpr double kWaitedForRatio = 0.5;

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

bool narrow_enough(const Ledger& ledger, double precision_ratio) {
  return widest_interval(ledger).half_width_s <= kRounding * precision_ratio * ledger.step.s;
}

bool precise_enough(const Ledger& ledger, double precision_ratio) {
  return ledger.rounds >= kMinRounds && narrow_enough(ledger, precision_ratio);
}

bool PrecisionRule::met_after(const Ledger& ledger) {
  const bool narrow_before = std::exchange(narrow_before_, narrow_enough(ledger, precision_ratio_));
  return narrow_before && precise_enough(ledger, precision_ratio_);
}

void keep_to_target(Ledger& ledger, double precision_ratio) {
  if (ledger.rounds + ledger.rounds_left_out <= kMinRounds) return;
  const WidestInterval widest = widest_interval(ledger);
  const double target_s = precision_ratio * ledger.step.s;
  if (widest.half_width_s >= target_s || widest.half_width_s < kWaitedForRatio * target_s) return;
  const Estimate waited_for = widest.part ? *ledger[*widest.part] : ledger.step;
  const Estimate claimed{waited_for.s, waited_for.s - target_s, waited_for.s + target_s};
  // The same figure may stand there under several names: where `solo` alone was measured, compute is the step.
  const auto claim = [&](Estimate& estimate) { estimate = estimate == waited_for ? claimed : estimate; };
  if (widest.part) claim(*ledger[*widest.part]);
  claim(ledger.step);
  for (auto& [condition, step] : ledger.step_by_condition) claim(step);
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
