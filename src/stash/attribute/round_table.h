#pragma once

#include <vector>

#include "stash/core/profile.h"

namespace stash {

// The complete rounds of a profile: one window for every condition of the chain. Points into the profile.
struct RoundTable {
  std::vector<Condition> chain;                    // conditions that were measured, in the chain's order
  std::vector<std::vector<const Window*>> rounds;  // by round, then by place in `chain`

  std::vector<double> step_s(std::size_t place) const;  // of each round
};

RoundTable complete_rounds(const Profile& profile);

// One condition of the chain by round, in their order.
struct ConditionRounds {
  Condition condition = Condition::solo;
  std::vector<double> added_s;  // to the step of the condition before it, without disturbed rounds (docs/metrics.md)
  std::vector<double> step_s;   // what a round says of the step: their mean is the sum of the means of `added_s` so far
  double edge_s = 0;            // what the edges of a window put on each of its steps, on average
};

// By place in the chain. A window that was hit takes its round away from the parts on either side of it, not from the
// others. `edge_s` is what a window's two edges cost; there is at least one round.
std::vector<ConditionRounds> undisturbed_rounds(const RoundTable& table, double edge_s);

bool has_sample(const Window& window);
// Of one value for each round, those that nothing from outside hit, for a step of about `step_s`.
std::vector<double> undisturbed_values(const std::vector<double>& values, double step_s);

double step_s(const Window& window);  // the slowest rank's time of one step

// As the profile's places say; without them the ranks that computed under `solo`, which is one on each node, or 1.
int node_count(const Profile& profile);

}  // namespace stash
