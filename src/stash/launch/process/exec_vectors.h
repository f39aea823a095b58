#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace stash {

using EnvironmentChanges = std::map<std::string, std::optional<std::string>>;  // nullopt removes

// Our environment with changes, as NAME=value.
std::vector<std::string> changed_environment(const EnvironmentChanges& changes);

// As exec wants it; points into `strings`.
std::vector<char*> null_terminated(std::vector<std::string>& strings);

}  // namespace stash
