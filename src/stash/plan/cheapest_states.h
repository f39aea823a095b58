#pragma once

#include <span>
#include <vector>

namespace stash {

// What a pair of nodes costs, by the states of both: cost[state of first * states of second + state of second].
struct PairCost {
  int first = 0;
  int second = 0;
  std::vector<double> cost;
};

struct CheapestStates {
  std::vector<int> state;  // by node
  double cost = 0;
};

// The states that make the sum of all costs least, exactly. `own` has what each state of each node costs by itself.
// Nodes leave the graph one by one, the one with the fewest neighbours first, each solved for every combination of its
// neighbours' states; a chain, and branches between a fork and a join, never need more than two neighbours at once.
// Error where the graph is so dense that the tables would not fit.
CheapestStates cheapest_states(std::span<const std::vector<double>> own, std::span<const PairCost> pairs);

}  // namespace stash
