#pragma once

#include <vector>

#include "stash/core/json_keys.h"

namespace stash {

// Every key of an instance in JSON, which are the columns of CSV too, with its meaning.
std::vector<JsonKey> instance_keys();

}  // namespace stash
