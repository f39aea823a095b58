#pragma once

#include <functional>

#include "stash/cli/start_flags.h"
#include "stash/core/profile.h"
#include "stash/models/graph.h"

namespace stash {

// What a profile holds before it is measured: the job with its data set, which is made where the job names none, and
// the machine. Error says what is wrong with the data.
Profile prepare_profile(const Job& job, const Graph& graph);

struct CaseRun {
  int nodes = 1;                                  // that the ranks take themselves to be on, evenly
  std::function<void(const Collector&)> on_tick;  // a few times a second
  std::function<bool()> stop;                     // asked as often; true ends the ranks as Ctrl-C does
};

// Measures one job with ranks of this machine, as `stash profile --local` does. Error: it cannot be started.
LocalRun run_case(const Job& job, const StartFlags& start, LocalRanks& ranks, const CaseRun& run);

}  // namespace stash
