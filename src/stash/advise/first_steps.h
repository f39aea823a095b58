#pragma once

#include <span>
#include <vector>

#include "stash/advise/first_step.h"
#include "stash/catalog/instance.h"
#include "stash/core/profile.h"

namespace stash {

// For the largest stall that something can be done about: what to do first, then what else would help, at most five.
// Empty where nothing is worth it. A rank that keeps the others waiting comes before all. Free of I/O; milliseconds.
std::vector<FirstStep> first_steps(const Profile& profile, const Ledger& ledger, std::span<const Instance> instances);

}  // namespace stash
