#pragma once

#include <span>
#include <string>

#include "stash/catalog/instance.h"

namespace stash {

// The columns are the field names, in the order of catalog/instances.csv; unknown is empty. parse_instances of
// instances.h reads it.
std::string instances_csv(std::span<const Instance> instances);

}  // namespace stash
