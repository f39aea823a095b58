#pragma once

#include <string>
#include <string_view>

#include "stash/core/profile.h"

namespace stash {

enum class LinksFormat { text, json, csv };
LinksFormat parse_links_format(std::string_view name);  // UsageError names the nearest

// The profile's links: what they carry at best, every size, and the fit.
std::string render_links(const Profile& profile, LinksFormat format);

// "inside node1", "node1 to node2"; names as they came.
std::string place_of_link(const Profile& profile, const LinkTime& row);

}  // namespace stash
