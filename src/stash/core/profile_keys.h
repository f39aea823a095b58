#pragma once

#include <span>
#include <vector>

#include "stash/core/json_keys.h"

namespace stash {

// Every key of a profile file, in its order, with its meaning (profile_meanings.cpp).
std::vector<JsonKey> profile_keys();
std::span<const KeyMeaning> profile_meanings();

}  // namespace stash
