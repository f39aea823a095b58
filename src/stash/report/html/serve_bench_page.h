#pragma once

#include <optional>
#include <string>

#include "stash/serve/bench/serve_bench.h"

namespace stash {

// The ledger of a request as one HTML file.
std::string render_serve_bench_html(const ServeBench& bench, std::optional<double> usd_per_hour);

}  // namespace stash
