#pragma once

#include <filesystem>

#include "stash/launch/local_run.h"
#include "stash/launch/rank_process.h"

namespace stash {

// How the team's ranks are started. They read what they are to do in `order`, and where they `stay` again after every
// order.
std::vector<RankCommand> rank_commands(const LocalRunOptions& options, const std::filesystem::path& order, bool stay);

}  // namespace stash
