#pragma once

#include <vector>

#include "stash/advise/job_facts.h"

namespace stash {

// Suggestions whose savings follow from the ledger and the counters alone, for stalls and profiles that are not
// simulated; docs/prediction.md has the formulas. Not all are worth it.
std::vector<FirstStep> measured_steps(const JobFacts& facts, const Stall& stall);

}  // namespace stash
