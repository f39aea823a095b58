#pragma once

#include <vector>

namespace stash {

// The cores that this process may use, in order.
std::vector<int> allowed_cores();

// The share of `cores` of rank `local_rank` of `local_ranks`: contiguous, as even as can be; ranks beyond the
// number of cores share one.
std::vector<int> core_share(const std::vector<int>& cores, int local_rank, int local_ranks);

// Pins the calling process; what it starts inherits it.
void pin_to_cores(const std::vector<int>& cores);

}  // namespace stash
