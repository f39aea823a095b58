#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "stash/predict/prediction.h"

namespace stash {

// A probability that leaves hardly a doubt: what advice names as more certainty.
inline constexpr double kSurerRatio = 0.99;
// A probability that reads as 0 %: of options below it, the closest is of more use than the luckiest.
inline constexpr double kNoChanceRatio = 0.005;

// A machine and node count with what the whole training takes on it; docs/prediction.md. Low and high are the ends of
// the 95 % interval. Costs are nullopt where no price is known.
struct Option {
  Prediction prediction;  // with the epoch's figures filled in
  double time_s = 0;
  double time_low_s = 0;
  double time_high_s = 0;
  std::optional<double> cost_usd;
  std::optional<double> cost_low_usd;
  std::optional<double> cost_high_usd;
  double interruptions = 0;           // expected, of spot machines
  bool meets = true;                  // the deadline and the budget, with the probability asked for
  std::optional<double> meets_ratio;  // the probability that it does; nullopt: neither was given
  std::optional<int> group;           // near-ties have the same, from 1 on; nullopt: it does not meet
  bool on_front = false;              // no other is both faster and cheaper
  double first_ratio = 0;             // how often it is first, of the draws; all options sum to 1
};

// A deadline in seconds or a budget in dollars, the least that an option needs to be sure.
struct Needed {
  double amount = 0;
  std::size_t option = 0;  // into `ranked`
};

struct Advice {
  std::vector<Option> ranked;        // best first; those that meet deadline and budget before those that do not
  std::optional<std::size_t> best;   // into `ranked`; nullopt: nothing meets deadline and budget
  std::optional<std::size_t> surer;  // into `ranked`: what more certainty takes; nullopt: there is none, or no need
  // Where nothing meets: what would, with the other as it is; nullopt: nothing does, or it was not asked for.
  std::optional<Needed> deadline_needed;
  std::optional<Needed> budget_needed;
  std::vector<Rejected> rejected;         // those that came, and those that cannot be ranked
  std::vector<std::string> would_change;  // what would make another first, or what it would take; sentences, no stop
  std::vector<std::string> notes;         // what "best" means here, and what was left out
};

}  // namespace stash
