#pragma once

#include <optional>

#include "stash/advise/candidate.h"
#include "stash/advise/question.h"

namespace stash {

// What "first" means: under a deadline the cheapest that meets it; under a budget the fastest that fits; under both
// the cheapest that meets both; under neither the smallest product of time and cost. Without any price the fastest is
// first. "Meets" is with the probability that was asked for; an option that does is called sure.
struct Goal {
  // Without prices no budget counts.
  Goal(const AdviceQuestion& question, bool is_priced);

  std::optional<double> deadline_s;
  std::optional<double> budget_usd;
  bool priced;  // every candidate has a price
  double sure_ratio;

  bool is_asked() const { return deadline_s || budget_usd; }

  // The larger of time to deadline and cost to budget; above kMet: does not meet. 0 where neither is asked for.
  double excess(double time_s, double cost_usd) const;
  static constexpr double kMet = 1 + 1e-9;  // 40 h at $1.50 fit $60, however they are rounded

  // The probability that a candidate meets; 1 where neither is asked for.
  double chance(const Candidate& candidate) const;
  bool is_sure(const Candidate& candidate) const { return meets_with(candidate, sure_ratio); }
  bool meets_with(const Candidate& candidate, double probability) const;

  // What a candidate takes and costs at most with the probability asked for.
  double sure_s(const Candidate& candidate) const;
  double sure_usd(const Candidate& candidate) const;

  // What counts among candidates that meet; smaller is better.
  double amount(double time_s, double cost_usd) const;
  double amount(const Candidate& candidate) const { return amount(candidate.time_s, candidate.cost_usd.value_or(0)); }

  // By what a candidate's time is multiplied so that products are in the order of amounts.
  double weight_of_time(const Candidate& candidate) const;
  // The longest time in which a candidate meets; infinity where neither is asked for.
  double longest_s(const Candidate& candidate) const;

  // The most that `candidate` may cost to come before `other`, which is sure; infinity: anything, nullopt: no price
  // does it.
  std::optional<double> cost_to_beat(const Candidate& other, const Candidate& candidate) const;
  // The longest step of `candidate`, as a share of the predicted one, with which it comes before `other`.
  double steps_to_beat(const Candidate& other, const Candidate& candidate) const;

 private:
  double sure_step_ratio(const Candidate& candidate) const { return candidate.ratio_at(sure_z_); }

  double sure_z_;  // standard deviations that the probability asked for allows a step
};

}  // namespace stash
