#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "stash/import/intervals.h"

namespace stash {

// Nanoseconds of each window by the first set that covers them; the last entry of a row is what no set covers. Sets and
// windows are in order and without overlap. Needs no memory beside the result.
std::vector<std::vector<std::int64_t>> share_out(std::span<const std::span<const Interval>> sets,
                                                 std::span<const Interval> windows);

}  // namespace stash
