#pragma once

#include <string>

#include "stash/report/report.h"
#include "stash/share/pool/pool_state.h"

namespace stash {

// One line: what the pool's split brings over an even one, as measured where it was, else as predicted.
std::string pool_verdict(const PoolState& state);

// The page for people: verdict, a row for each job, what was decided last.
std::string render_pool_text(const PoolState& state, const ReportOptions& options);

// One JSON object, ASCII; docs/cli/share.md describes it.
std::string render_pool_json(const PoolState& state);

std::string pool_rate_text(std::optional<double> per_s);  // "1,234"; "–"

}  // namespace stash
