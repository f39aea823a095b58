// What policies cost and miss by minutes (fluid_replay): quick, without requests. The figures of docs/fleet.md come
// from `stash fleet replay`, which has every request.
//
//     fleet_policies --trace trace.csv [--market mark-inception] [--objective 1s] [--days 15]

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <string>

#include "stash/catalog/instances.h"
#include "stash/core/error.h"
#include "stash/core/units.h"
#include "stash/fleet/market/catalogue_market.h"
#include "stash/fleet/market/published_market.h"
#include "stash/fleet/policy/fluid_replay.h"
#include "stash/fleet/policy/make_fleet_policy.h"
#include "stash/fleet/traffic/load_minutes.h"
#include "stash/fleet/traffic/read_load_trace.h"

namespace stash {
namespace {

Market market_called(const std::string& name) {
  if (std::ranges::find(kPublishedMarkets, name) != kPublishedMarkets.end()) return published_market(name);
  std::vector<std::string> warnings;
  return catalogue_market({.model = name, .on = {}}, instance_table(), warnings);
}

int run(int argc, char** argv) {
  CLI::App app("What policies cost and miss by minutes");
  std::string path, market_name = "mark-inception", objective = "1s", only;
  int days = 15;
  double scale = 1;
  app.add_option("--trace", path, "CSV of requests per minute")->required();
  app.add_option("--market", market_name, "mark-inception, mark-nasnet, mark-nmt, or a built-in model")
      ->capture_default_str();
  app.add_option("--objective", objective, "Latency to meet")->capture_default_str();
  app.add_option("--days", days, "Days of the trace")->capture_default_str();
  app.add_option("--scale", scale, "Multiplies the load")->capture_default_str();
  app.add_option("--only", only, "One policy");
  CLI11_PARSE(app, argc, argv);
  LoadTrace trace = read_load_trace(std::filesystem::path(path));
  const auto count = std::min(trace.requests.size(), static_cast<std::size_t>(days) * 1440);
  trace.requests.resize(count);
  trace.peak_5s.resize(count);
  trace.holes.resize(count);
  for (auto& one : trace.requests) one = static_cast<std::uint32_t>(scale * one);
  for (auto& one : trace.peak_5s) one = static_cast<std::uint32_t>(scale * one);
  const Market market = market_called(market_name);
  const FleetPolicyOptions options{.objective = {parse_duration_s(objective, "--objective"), 0.98}, .future = &trace};
  const auto rated = rated_types(market, options.objective);
  for (const RatedType& one : rated) {
    fmt::print("# {}: {:.0f} per minute ({:.0f} to {:.0f}), ${:.2f} per million\n", market.machines[one.type].name,
               one.per_min(), one.capacity.low_per_s * 60, one.capacity.high_per_s * 60, one.usd_per_request * 1e6);
  }
  if (const auto* function = cheapest_function(market, options.objective)) {
    fmt::print("# {}: ${:.2f} per million\n", function->name, usd_per_request(*function) * 1e6);
  }
  const auto minutes = minutes_of(trace);
  fmt::print("policy,usd,missed_ratio,by_function_ratio,s\n");
  for (const std::string_view name : kFleetPolicies) {
    if (!only.empty() && name != only) continue;
    const auto begun = std::chrono::steady_clock::now();
    const auto policy = make_fleet_policy(name, market, options);
    const FluidReplay found = fluid_replay(*policy, market, rated, minutes);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun;
    fmt::print("{},{:.2f},{:.4f},{:.4f},{:.1f}\n", name, found.usd, found.missed_ratio(),
               found.by_function / found.requests, took.count());
    std::fflush(stdout);
  }
  return 0;
}

}  // namespace
}  // namespace stash

int main(int argc, char** argv) {
  try {
    return stash::run(argc, argv);
  } catch (const stash::Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
