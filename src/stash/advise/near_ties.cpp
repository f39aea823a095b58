#include "stash/advise/near_ties.h"

namespace stash {

namespace {

// Less is not worth a second thought, however certain it is: a dollar of a hundred.
constexpr double kSameAmount = 1.01;
// More is worth a second machine even where it is uncertain: the best guess of the difference is what it is.
constexpr double kTiedAmount = 1.05;
constexpr double kToldApart = 0.9;  // of the draws

}  // namespace

NearTies::NearTies(std::span<const Candidate> candidates, std::span<const Draws> steps, const Goal& goal)
    : steps_(steps) {
  lines_.reserve(candidates.size());
  for (const Candidate& candidate : candidates) {
    const double weight = goal.weight_of_time(candidate);
    lines_.push_back({goal.amount(candidate), static_cast<float>(weight * candidate.fixed_s),
                      static_cast<float>(weight * candidate.steps_s)});
  }
}

// Of the draws, in which the other is behind.
double NearTies::behind_ratio(std::size_t leader, std::size_t other) const {
  const Line first = lines_[leader], second = lines_[other];
  const Draws& first_steps = steps_[leader];
  const Draws& second_steps = steps_[other];
  int behind = 0;
  for (std::size_t draw = 0; draw < kDraws; ++draw) {
    behind += first.fixed + first.per_step * first_steps[draw] < second.fixed + second.per_step * second_steps[draw];
  }
  return behind * (1.0 / kDraws);
}

bool NearTies::are_tied(std::size_t leader, std::size_t other) const {
  const double ratio = lines_[other].amount / lines_[leader].amount;
  if (ratio <= kSameAmount) return true;
  return ratio <= kTiedAmount && behind_ratio(leader, other) < kToldApart;
}

std::vector<int> NearTies::groups(std::size_t count) const {
  std::vector<int> groups(count, 0);
  int last = 0;
  for (std::size_t leader = 0; leader < count; ++leader) {
    if (groups[leader] > 0) continue;
    groups[leader] = ++last;
    for (std::size_t i = leader + 1; i < count && lines_[i].amount <= lines_[leader].amount * kTiedAmount; ++i) {
      if (groups[i] == 0 && are_tied(leader, i)) groups[i] = last;
    }
  }
  return groups;
}

}  // namespace stash
