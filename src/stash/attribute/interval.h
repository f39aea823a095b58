#pragma once

#include <vector>

#include "stash/core/ledger.h"

namespace stash {

// Around `s`: chance from the spread over rounds (at least two), and the edges of windows, which repetition does not
// average away.
Estimate interval(double s, const std::vector<double>& values, double edge_s);

}  // namespace stash
