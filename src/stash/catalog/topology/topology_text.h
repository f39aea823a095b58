#pragma once

#include <string_view>

#include "stash/catalog/topology/topology.h"

namespace stash {

// A topology in the form of catalog/topologies: a head of "key value" lines, then places and what hangs at them, two
// spaces further in than the place above. `source` names the text. Error names the line that is at fault.
Topology parse_topology(std::string_view text, std::string_view source);

}  // namespace stash
