#pragma once

#include <span>
#include <string>

#include "stash/catalog/instance.h"
#include "stash/core/format.h"

namespace stash {

// What `stash catalog list` prints: a table, or all that is known as JSON or CSV.
std::string render_instances(const Catalogue& catalogue, Format format);

// What `stash catalog show` prints: every figure with its source.
std::string render_instance(const Instance& instance, Format format);

}  // namespace stash
