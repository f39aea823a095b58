#pragma once

#include <cstdint>
#include <functional>

#include "stash/core/profile.h"
#include "stash/launch/crew.h"
#include "stash/models/graph.h"

namespace stash {

// Called now and then while a data set is made for a job that brings none.
using OnDefaultData = std::function<void(InputKind kind, std::int64_t done, std::int64_t total)>;

// What a profile holds before it is measured: the job with its data set, which is made where the job names none, and
// the machine. Error says what is wrong with the data.
Profile prepare_profile(const Job& job, const Graph& graph, const OnDefaultData& on_data);

// Measures one job with ranks of this machine, as `stash profile --local` does; the options' plan is set here. Error:
// it cannot be started.
CrewRun run_case(const Job& job, CrewOptions options, Crew& ranks, const OnDefaultData& on_data);

}  // namespace stash
