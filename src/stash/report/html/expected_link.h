#pragma once

#include <optional>
#include <span>
#include <string>

#include "stash/catalog/instance.h"
#include "stash/core/link_time.h"
#include "stash/core/profile.h"

namespace stash {

// What the catalogue says that a link of the profile's machine gives.
struct ExpectedLink {
  std::string instance;
  double bytes_per_s = 0;  // of a GPU to its peers, or of a machine to the others
};

// Of the machine of the catalogue with the profile's GPUs, as many of them and as many cores; nullopt where there is
// none, where GPUs are emulated, or where the ranks of a node do not use the links of their GPUs.
std::optional<ExpectedLink> expected_link(const Profile& profile, const LinkTime& link,
                                          std::span<const Instance> instances);

}  // namespace stash
