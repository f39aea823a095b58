#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "stash/launch/crew.h"
#include "stash/launch/rank_process.h"

namespace stash {

// How the crew is started. Its ranks read what they are to do in `order`.
std::vector<RankCommand> rank_commands(const CrewOptions& options, const std::filesystem::path& order);

// That the crew's Gloo collectives use: loopback where there are no others, the user's choice, or the one towards rank
// 0.
std::string gloo_interface(const CrewPlan& plan);

}  // namespace stash
