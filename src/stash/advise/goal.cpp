#include "stash/advise/goal.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stash {

namespace {

constexpr double kAny = std::numeric_limits<double>::infinity();

}  // namespace

double Goal::excess(double time_s, double cost_usd) const {
  const double time_ratio = deadline_s ? time_s / *deadline_s : 0;
  const double cost_ratio = budget_usd ? cost_usd / *budget_usd : 0;
  return std::max(time_ratio, cost_ratio);
}

Goal::Score Goal::score(double time_s, double cost_usd) const {
  const double over = excess(time_s, cost_usd);
  if (over > kMet) return {over, over};
  if (!priced || (budget_usd && !deadline_s)) return {0, time_s};
  return {0, deadline_s ? cost_usd : time_s * cost_usd};
}

std::optional<double> Goal::cost_to_beat(const Candidate& other, double time_s) const {
  const double other_cost = other.cost_usd.value_or(0);
  const double over = excess(other.time_s, other_cost);
  if (over > kMet) {
    if (deadline_s && time_s / *deadline_s >= over) return std::nullopt;
    return budget_usd ? over * *budget_usd : kAny;
  }
  if (deadline_s) {
    if (time_s > *deadline_s * kMet) return std::nullopt;
    return std::min(other_cost, budget_usd.value_or(kAny));
  }
  if (!budget_usd) return other.time_s * other_cost / time_s;
  return time_s < other.time_s ? budget_usd : std::nullopt;
}

double Goal::time_to_beat(const Candidate& other, double usd_per_s) const {
  const double other_cost = other.cost_usd.value_or(0);
  const double deadline = deadline_s.value_or(kAny);
  const double affordable_s = budget_usd ? *budget_usd / usd_per_s : kAny;
  const double over = excess(other.time_s, other_cost);
  if (over > kMet) return over * std::min(deadline, affordable_s);
  if (deadline_s) return std::min({deadline, affordable_s, other_cost / usd_per_s});
  if (budget_usd) return std::min(other.time_s, affordable_s);
  return std::sqrt(other.time_s * other_cost / usd_per_s);
}

}  // namespace stash
