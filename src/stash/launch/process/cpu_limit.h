#pragma once

#include <filesystem>
#include <optional>

namespace stash {

// The cores that the control groups of this process allow it: the smallest quota on the way to the root; nullopt:
// none is set. `root` stands for / in tests.
std::optional<double> cgroup_cores(const std::filesystem::path& root = "/");

// Cores that this process may use: by its affinity and its control groups, at least one.
int usable_cores();

}  // namespace stash
