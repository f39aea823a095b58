#pragma once

#include <cstdint>
#include <vector>

#include "stash/core/condition.h"
#include "stash/core/job.h"
#include "stash/core/variant.h"

namespace stash {

// How many steps a window, its lead-in and the pilot take, and in which order a round visits the conditions.
// Pure functions, so that every rank comes to the same.

// The job as a variant changes its queue; with others it is as it was.
Job as_changed(const Job& job, const Variant& variant);

// Steps before the clock starts: the condition's own steady state, and in input conditions a queue that holds
// neither what was prepared before nor less than it will.
int lead_in_steps(const Job& job, Condition condition);

// Steps that tell how long one takes, when a first look said `step_s`.
int pilot_steps(double step_s);

// Of a window, however long a step takes: more than the input queue is deep.
int fewest_window_steps(const Job& job, Condition condition);

// Long enough that the window's edges cost under 0.5 % of it.
int window_steps(const Job& job, Condition condition, double step_s, double edge_s);

// How many of `variants` settings beside the conditions a round visits, when it takes `conditions_s` without them and
// each of them `variant_s`: the ledger's rounds must stay many. At least one, in turn.
std::size_t variants_in_round(double conditions_s, double variant_s, std::size_t variants);

// A permutation of `count` places that depends on the seed and the round alone.
std::vector<std::size_t> round_order(std::size_t count, std::uint64_t seed, int round);
std::vector<Condition> round_order(const std::vector<Condition>& conditions, std::uint64_t seed, int round);

}  // namespace stash
