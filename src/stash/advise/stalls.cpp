#include "stash/advise/stalls.h"

#include <algorithm>

#include "stash/attribute/steady_fetch.h"

namespace stash {
namespace {

// As it is after the first epoch, where that is known.
std::optional<Estimate> time_of(const Ledger& ledger, Part part, bool first_epoch) {
  const bool steady = part == Part::fetch && !first_epoch && ledger[part] && ledger.steady_fetch;
  return steady ? ledger.steady_fetch->fetch : ledger[part];
}

bool is_worth_a_step(const Stall& stall) {
  return stall.time.low_s > 0 && stall.time.s >= kWorthRatio * stall.step_s && stall.time.high_s >= stall.time.s;
}

}  // namespace

std::vector<Stall> stalls_worth_a_step(const Ledger& ledger) {
  std::vector<Stall> stalls;
  const auto add = [&](Part part, bool first_epoch) {
    const std::optional<Estimate> time = time_of(ledger, part, first_epoch);
    const double step_s = first_epoch ? ledger.step.s : steady_step_s(ledger);
    const Stall stall{part, time.value_or(Estimate{}), step_s, first_epoch};
    if (is_worth_a_step(stall)) stalls.push_back(stall);
  };
  for (const Part part : kParts) {
    if (part != Part::compute) add(part, false);
  }
  std::stable_sort(stalls.begin(), stalls.end(), [](const Stall& a, const Stall& b) { return a.time.s > b.time.s; });
  if (ledger.steady_fetch) add(Part::fetch, true);
  return stalls;
}

bool input_limits(const Ledger& ledger, bool first_epoch) {
  return std::ranges::any_of(std::array{Part::prep, Part::fetch}, [&](Part part) {
    const std::optional<Estimate> time = time_of(ledger, part, first_epoch);
    return time && time->low_s > 0;
  });
}

}  // namespace stash
