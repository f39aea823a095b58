#pragma once

#include <span>
#include <string>
#include <string_view>

#include "stash/core/watched.h"

namespace stash {

// The counters as OpenMetrics text, which node_exporter's textfile collector reads. `job` becomes a label.
std::string render_openmetrics(std::span<const WatchedRank> ranks, std::string_view job);

// A label's value, between its quotes.
std::string openmetrics_label(std::string_view text);

}  // namespace stash
