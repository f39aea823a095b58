#pragma once

#include <cstdint>
#include <filesystem>

#include "stash/core/job.h"
#include "stash/launch/local_run.h"

namespace stash {

// Writes what ranks are to do next, as they read it: the job, who each of them is, since when time counts, and where
// they meet where nobody outside this machine takes part: in the file `store`.
void write_order(const std::filesystem::path& path, const Job& job, const LocalRunOptions& options,
                 std::int64_t started_ns, const std::filesystem::path& store);

}  // namespace stash
