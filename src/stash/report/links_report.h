#pragma once

#include <string>

#include "stash/core/format.h"
#include "stash/core/profile.h"

namespace stash {

// The profile's links: what they carry at best, every size, and the fit.
std::string render_links(const Profile& profile, Format format);

// "inside node1", "node1 to node2"; names as they came.
std::string place_of_link(const Profile& profile, const LinkTime& row);

}  // namespace stash
