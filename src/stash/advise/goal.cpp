#include "stash/advise/goal.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "stash/core/statistics.h"

namespace stash {

namespace {

constexpr double kAny = std::numeric_limits<double>::infinity();

}  // namespace

Goal::Goal(const AdviceQuestion& question, bool is_priced)
    : deadline_s(question.deadline_s),
      budget_usd(is_priced ? question.budget_usd : std::nullopt),
      priced(is_priced),
      sure_ratio(question.sure_ratio),
      sure_z_(normal_quantile(question.sure_ratio)) {}

double Goal::excess(double time_s, double cost_usd) const {
  const double time_ratio = deadline_s ? time_s / *deadline_s : 0;
  const double cost_ratio = budget_usd ? cost_usd / *budget_usd : 0;
  return std::max(time_ratio, cost_ratio);
}

double Goal::longest_s(const Candidate& candidate) const {
  const double affordable_s = budget_usd ? *budget_usd / candidate.usd_per_s.value_or(0) : kAny;
  return std::min(deadline_s.value_or(kAny), affordable_s);
}

double Goal::chance(const Candidate& candidate) const {
  if (!is_asked()) return 1;
  return candidate.chance_within((longest_s(candidate) * kMet - candidate.fixed_s) / candidate.steps_s);
}

bool Goal::meets_with(const Candidate& candidate, double probability) const {
  return chance(candidate) * kMet >= probability;
}

double Goal::sure_s(const Candidate& candidate) const { return candidate.time_with(sure_step_ratio(candidate)); }

double Goal::sure_usd(const Candidate& candidate) const { return candidate.cost_with(sure_step_ratio(candidate)); }

double Goal::amount(double time_s, double cost_usd) const {
  if (!priced || (budget_usd && !deadline_s)) return time_s;
  return deadline_s ? cost_usd : time_s * cost_usd;
}

double Goal::weight_of_time(const Candidate& candidate) const {
  const double usd_per_s = candidate.usd_per_s.value_or(0);
  if (!priced || (budget_usd && !deadline_s)) return 1;
  return deadline_s ? usd_per_s : std::sqrt(usd_per_s);
}

std::optional<double> Goal::cost_to_beat(const Candidate& other, const Candidate& candidate) const {
  const double other_cost = other.cost_usd.value_or(0);
  if (!is_asked()) return other.time_s * other_cost / candidate.time_s;
  const double sure_time_s = sure_s(candidate);
  const double affordable = budget_usd ? *budget_usd * candidate.time_s / sure_time_s : kAny;
  if (!deadline_s) return candidate.time_s < other.time_s ? std::optional(affordable) : std::nullopt;
  if (sure_time_s > *deadline_s * kMet) return std::nullopt;
  return std::min(other_cost, affordable);
}

double Goal::steps_to_beat(const Candidate& other, const Candidate& candidate) const {
  const double usd_per_s = candidate.usd_per_s.value_or(0);
  const double other_cost = other.cost_usd.value_or(0);
  const auto steps_for = [&](double time_s) { return (time_s - candidate.fixed_s) / candidate.steps_s; };
  if (!is_asked()) return steps_for(std::sqrt(other.time_s * other_cost / usd_per_s));
  const double allowed = steps_for(longest_s(candidate)) / sure_step_ratio(candidate);
  return std::min(allowed, steps_for(deadline_s ? other_cost / usd_per_s : other.time_s));
}

}  // namespace stash
