#pragma once

#include <string>

#include "stash/core/ledger.h"
#include "stash/core/profile.h"

namespace stash {

inline constexpr double kMattersRatio = 0.01;  // of a step: a stall below it is not worth a headline

// One line: what costs most, or that nothing is distinguishable from zero. Begins with the device where it is emulated.
std::string verdict(const Profile& profile, const Ledger& ledger);
std::string verdict(const Ledger& ledger);  // without the device

// "emulated V100", empty where the device is real.
std::string emulated_name(const Job& job);

}  // namespace stash
