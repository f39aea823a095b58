#pragma once

#include <optional>

#include "stash/attribute/round_table.h"
#include "stash/core/ledger.h"

namespace stash {

// The rank that keeps the others waiting, in the first condition of the chain in which one does; docs/metrics.md.
std::optional<LateRank> find_late_rank(const RoundTable& table, double step_s);

}  // namespace stash
