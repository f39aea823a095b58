#pragma once

#include <map>
#include <optional>
#include <string>

#include "stash/launch/protocol/event.h"
#include "stash/launch/supervisor.h"

namespace stash {

using RankErrors = std::map<int, ErrorEvent>;  // by rank: what each reported when it gave up

// The one rank to blame and why, with its last output; nullopt when every rank ended well. `host` is the ranks' own,
// empty where there is no other.
std::optional<std::string> describe_fault(const Outcome& outcome, const RankErrors& errors, double deadline_s,
                                          const std::string& host = "");
// True when the fault is in what was asked for (exit code 2) rather than in the environment.
bool is_usage_fault(const RankErrors& errors);
// True when one of these ranks is to blame, rather than one that another process started.
bool is_own_fault(const Outcome& outcome, const RankErrors& errors);
// True when a rank heard nothing more of rank 0.
bool is_rank_0_lost(const RankErrors& errors);

}  // namespace stash
