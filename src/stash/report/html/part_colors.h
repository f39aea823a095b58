#pragma once

#include <string>
#include <vector>

#include "stash/core/ledger.h"
#include "stash/report/html/charts.h"

namespace stash {

std::string class_of(Part part);

// A ledger as one bar: what was not taken apart, then the parts; tips give figures.
std::vector<BarSegment> ledger_segments(const Ledger& ledger);

// The colours of the parts that any of the ledgers has.
std::string parts_legend(std::span<const Ledger* const> ledgers);

}  // namespace stash
