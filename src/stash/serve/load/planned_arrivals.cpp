#include "stash/serve/load/planned_arrivals.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "stash/core/error.h"
#include "stash/core/units.h"

namespace stash {
namespace {

constexpr std::array<std::string_view, 2> kSpacingNames{"poisson", "constant"};

void check_size(double rate_per_s, double duration_s) {
  const double expected = rate_per_s * duration_s;
  if (!(expected <= static_cast<double>(kMostArrivals))) {
    throw UsageError(fmt::format("{:.0f} requests per second for {} are more than {} requests: take less of either",
                                 rate_per_s, format_duration(duration_s), format_count(kMostArrivals)));
  }
}

}  // namespace

std::string_view to_string(Spacing spacing) { return kSpacingNames[static_cast<std::size_t>(spacing)]; }

Spacing parse_spacing(std::string_view name) {
  const auto found = std::ranges::find(kSpacingNames, name);
  if (found == kSpacingNames.end()) throw_unknown("--spacing", name, kSpacingNames);
  return static_cast<Spacing>(found - kSpacingNames.begin());
}

ArrivalPlan plan_arrivals(double rate_per_s, double duration_s, Spacing spacing, std::uint64_t seed) {
  check_size(rate_per_s, duration_s);
  ArrivalPlan plan;
  plan.reserve(static_cast<std::size_t>(rate_per_s * duration_s * 1.01 + 16));
  std::mt19937_64 random(seed);
  std::exponential_distribution<double> gap(rate_per_s);
  double at_s = spacing == Spacing::poisson ? gap(random) : 0;
  for (std::size_t i = 1; at_s < duration_s; ++i) {
    plan.push_back(static_cast<std::int64_t>(at_s * 1e9));
    at_s = spacing == Spacing::poisson ? at_s + gap(random) : static_cast<double>(i) / rate_per_s;
  }
  if (plan.empty()) {
    throw UsageError(fmt::format("{:g} requests per second for {} are no request: take more of either", rate_per_s,
                                 format_duration(duration_s)));
  }
  return plan;
}

}  // namespace stash
