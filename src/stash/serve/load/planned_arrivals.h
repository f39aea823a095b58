#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace stash {

// When requests are to be sent: nanoseconds after the start, in order. Planned before the first one is sent, so that a
// slow server cannot hold up the requests that follow.
using ArrivalPlan = std::vector<std::int64_t>;

enum class Spacing { poisson, constant };
std::string_view to_string(Spacing spacing);
constexpr std::array<Spacing, 2> every(Spacing) { return {Spacing::poisson, Spacing::constant}; }
Spacing parse_spacing(std::string_view name);  // UsageError names the nearest

inline constexpr std::size_t kMostArrivals = 20'000'000;  // with their results 800 MB

// `rate_per_s` requests per second for `duration_s`. UsageError where that is none or more than kMostArrivals.
ArrivalPlan plan_arrivals(double rate_per_s, double duration_s, Spacing spacing, std::uint64_t seed);

}  // namespace stash
