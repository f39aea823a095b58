#pragma once

#include <string>

#include "stash/battery/summary.h"
#include "stash/report/comparison.h"

namespace stash {

// What a battery found, as one HTML file: stalls, epochs and costs of every case, and the machine's own figures.
std::string render_battery_html(const BatterySummary& summary);

// Several of them side by side: who is fastest and who cheapest, what does not pay, links that fall short, costs.
std::string render_comparison_html(const Comparison& comparison, const CostTable& costs);

}  // namespace stash
