#pragma once

#include <span>

#include "stash/advise/first_step.h"
#include "stash/advise/job_facts.h"
#include "stash/advise/simulated_steps.h"
#include "stash/advise/tried_step.h"

namespace stash {

// What was tried, in the order of the profile; `simulated` null: savings are predicted from the ledger alone.
std::vector<TriedStep> tried_steps(const JobFacts& facts, const SimulatedSteps* simulated);

// What was measured takes the place of what was predicted: steps that were tried get their measured saving, those that
// do not help go, and what helps without having been predicted is added. In no order.
void take_measured(std::vector<FirstStep>& steps, const std::vector<TriedStep>& tried, double step_s);

// All that a report says of tries, beside what it says to do first.
Tries tries_of(const Profile& profile, const Ledger& ledger, std::span<const FirstStep> first_steps);

}  // namespace stash
