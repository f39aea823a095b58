#pragma once

#include <functional>
#include <string>
#include <vector>

#include "script.h"
#include "stash/core/profile.h"

namespace stash {

// What one rank of a simulated run was told by its ruler, and asked for.
struct SimulatedRank {
  StoppedBy stopped_by = StoppedBy::fault;
  double edge_s = 0, round_s = 0;  // the pilot's
  double clocks_s = 0;
  double pilot_s = 0, elapsed_s = 0;  // simulated
  std::vector<Window> windows;
  std::vector<WindowTrace> traces;
  std::vector<std::string> dropped;
  std::vector<std::string> pilot_calls;  // "enter solo 3", "go", "run 1", "barrier", ...
  std::vector<std::string> calls;        // after the pilot
};

struct SimulatedRun {
  Profile profile;  // as rank 0's supervisor would have it
  std::vector<SimulatedRank> ranks;
};

// The whole chain, or those of its conditions.
inline const std::vector<Condition> kWholeChain(kConditions.begin(), kConditions.end());

// Pilot and rounds of the scripted job, every rank with a ruler of its own. Throws what the first of them throws.
// `stop` is asked before each window, with the rank and the windows that are complete.
SimulatedRun simulate(const Script& script, const Job& job, const std::vector<Condition>& conditions = kWholeChain,
                      const std::function<bool(int rank, std::size_t windows)>& stop = {},
                      const std::vector<Variant>& variants = {});

}  // namespace stash
