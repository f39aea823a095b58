#pragma once

#include <optional>
#include <span>

#include "stash/serve/load/load_result.h"

namespace stash {

// The summary of a run. A quantile is sorted[floor(n p)], as MLPerf's LoadGen has it. Intervals come
// from the spread over blocks of consecutive requests, since neighbours wait in the same queue.
LoadSummary summarize_load(std::span<const SentRequest> requests, std::optional<double> objective_s);

// sorted[floor(n p)], n at least 1.
double load_quantile(std::span<const double> sorted, double p);

// Why the run says nothing about the server, because the client itself was late; empty: it does.
std::string why_rejected(const LoadSummary& summary);

}  // namespace stash
