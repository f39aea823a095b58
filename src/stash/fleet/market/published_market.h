#pragma once

#include <array>
#include <string_view>

#include "stash/fleet/market/market.h"

namespace stash {

inline constexpr std::array<std::string_view, 3> kPublishedMarkets{"mark-inception", "mark-nasnet", "mark-nmt"};

// The setting of MArk (ATC'19): its capacities (data/mark_capacities.csv), AWS' prices of 2019, 180 s to start,
// functions of 3 GB. UsageError names the nearest. T(b) is b / capacity on CPUs; on the GPU, whose batch of 8 is known,
// a single request takes the share of it that the roofline of a K80 gives for Inception-v3.
Market published_market(std::string_view name);

}  // namespace stash
