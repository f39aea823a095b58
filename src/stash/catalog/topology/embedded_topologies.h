#pragma once

#include <span>
#include <string_view>

namespace stash {

// A file of catalog/topologies, put in when the program is built.
struct EmbeddedTopology {
  std::string_view name;  // of the file, without its ending
  std::string_view text;
};
extern const std::span<const EmbeddedTopology> kTopologies;

}  // namespace stash
