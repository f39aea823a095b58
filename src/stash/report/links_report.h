#pragma once

#include <string>

#include "stash/core/format.h"
#include "stash/core/profile.h"
#include "stash/report/topology_report.h"

namespace stash {

// The profile's links: what they carry at best, every size, and the fit. `topology`: how the leading node is wired,
// nullptr where that is not known; CSV has no place for it.
std::string render_links(const Profile& profile, Format format, const TopologyFindings* topology);

// "inside node1", "node1 to node2"; names as they came.
std::string place_of_link(const Profile& profile, const LinkTime& row);

}  // namespace stash
