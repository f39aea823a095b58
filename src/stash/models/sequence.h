#pragma once

#include <string_view>

#include "stash/models/models.h"

namespace stash {

// The length asked for, or `fallback`; UsageError above `longest`, the number of learned positions.
int sequence_length(std::string_view model, const InputSize& input, int fallback, int longest);

}  // namespace stash
