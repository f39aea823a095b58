#pragma once

#include <optional>
#include <span>
#include <string>

#include "stash/catalog/instance.h"
#include "stash/core/machine.h"

namespace stash {

enum class LinkKind { gpus, network };  // of a GPU to its peers, of a machine to the others

// Whose link it is, as far as that is known.
struct LinkOwner {
  std::string instance;   // in the catalogue
  std::string gpu;        // in the catalogue; empty: none
  int gpus = 0;           // 0: not known
  int cores = 0;          // that its jobs may use
  bool any_size = false;  // where no machine is like it, those with such GPUs tell what GPU links give
};
LinkOwner link_owner(const Machine& machine);

// What the catalogue says that a link gives, and who there has it.
struct ExpectedLink {
  std::string instance;
  double bytes_per_s = 0;
};

// Of the instance of that name; else of one with the GPUs, as many of them and as many cores; else, of any size, the
// fastest. nullopt: there is none, or its rate is not known.
std::optional<ExpectedLink> expected_link(LinkKind kind, const LinkOwner& owner, std::span<const Instance> catalogue);

}  // namespace stash
