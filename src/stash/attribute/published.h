#pragma once

#include "stash/core/ledger.h"

namespace stash {

// The percentages of the Stash study, from the ledger's step times; nullopt where a run they need was not made.
Published published_ratios(const Ledger& ledger, int ranks, int nodes);

}  // namespace stash
