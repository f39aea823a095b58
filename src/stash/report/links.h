#pragma once

#include <string>
#include <string_view>

#include "stash/core/profile.h"

namespace stash {

enum class LinksFormat { text, json, csv };
LinksFormat parse_links_format(std::string_view name);  // UsageError names the nearest

// The profile's links: what they carry at best, every size, and the fit.
std::string render_links(const Profile& profile, LinksFormat format);

}  // namespace stash
