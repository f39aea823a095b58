#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "stash/launch/shared_state.h"

namespace stash {

// The rank that holds the others up, when none has shown life for `deadline_ns`. A rank that waits for others is
// not to blame while one of them works: the stopped process comes first, then the rank that is still inside its
// own work, then the one with the fewest steps. A rank that waits for others has `patience` times the deadline: they
// may be elsewhere. `pid_of` gives -1 for a rank that has ended.
std::optional<int> find_hung_rank(std::span<RankState> states, std::int64_t now_ns, std::int64_t deadline_ns,
                                  double patience, const std::function<pid_t(int rank)>& pid_of);

}  // namespace stash
