#pragma once

#include <optional>
#include <string>
#include <vector>

namespace stash {

// Whole files and the page cache. Files that are gone or may not be read are passed over. Both return the share of
// the files' pages that is cached afterwards, nullopt where the system does not tell.
std::optional<double> evict_files(const std::vector<std::string>& paths);
std::optional<double> load_files(const std::vector<std::string>& paths);

}  // namespace stash
