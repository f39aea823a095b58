#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "stash/advise/candidate.h"
#include "stash/advise/certainty.h"
#include "stash/advise/goal.h"

namespace stash {

// Which candidates cannot be told apart in what counts (Goal::amount). The draws must outlive it.
class NearTies {
 public:
  NearTies(std::span<const Candidate> candidates, std::span<const Draws> steps, const Goal& goal);

  // Whether `other` is as good as `leader`, which has the smaller amount: within 1 %, or within 5 % and not behind it
  // in 90 % of the draws.
  bool are_tied(std::size_t leader, std::size_t other) const;

  // Of the first `count` candidates, which come with the smallest amount first, the number of each one's group, from 1
  // on: the first that is in no group leads one, and those that are tied with it join.
  std::vector<int> groups(std::size_t count) const;

 private:
  // What counts, or its square root, is a line over the step.
  struct Line {
    double amount = 0;
    float fixed = 0;
    float per_step = 0;
  };
  double behind_ratio(std::size_t leader, std::size_t other) const;

  std::vector<Line> lines_;
  std::span<const Draws> steps_;
};

}  // namespace stash
