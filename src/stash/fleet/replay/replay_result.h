#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "stash/fleet/policy/fleet_policy.h"

namespace stash {

// What a type cost and how long its machines ran, on demand and spot together.
struct TypeUse {
  std::string type;
  double usd = 0;
  double spot_usd = 0;  // of it
  double machine_hours = 0;
  double spot_hours = 0;  // of them
  std::uint64_t starts = 0;
};

// A stretch of the trace: an hour of a long one.
struct ReplayPoint {
  double from_s = 0;
  double recorded_s = 0;  // without holes
  std::uint64_t requests = 0;
  std::uint64_t missed = 0;
  std::uint64_t refused = 0;
  double usd = 0;
  std::optional<double> p99_s{};
  std::vector<double> machines;        // by type: mean of those that were ready
  std::optional<LoadBand> forecast{};  // per minute: mean of those that were made of its minutes
};

inline constexpr std::size_t kMostReplayDecisions = 5000;  // that are kept

// Orders of other numbers than before.
struct ReplayDecision {
  double at_s = 0;
  std::string wanted;  // "2 g5.xlarge, 1 c6i.large (spot)"
  std::string reason;
};

struct ReplayTotals {
  std::uint64_t requests = 0;
  std::uint64_t answered = 0;
  std::uint64_t late = 0;     // of those that were answered
  std::uint64_t refused = 0;  // all devices would have been late, or there were none
  std::uint64_t lost = 0;     // with their machine
  std::uint64_t by_functions = 0;
  std::uint64_t cold_calls = 0;
  double usd = 0;
  double functions_usd = 0;
  double spot_usd = 0;
  double mean_s = 0, p50_s = 0, p90_s = 0, p99_s = 0;
  std::uint64_t starts = 0, killed = 0, taken_away = 0;

  std::uint64_t missed() const { return late + refused + lost; }
  double missed_ratio() const {
    return requests > 0 ? static_cast<double>(missed()) / static_cast<double>(requests) : 0;
  }
  double refused_ratio() const {
    return requests > 0 ? static_cast<double>(refused) / static_cast<double>(requests) : 0;
  }
};

// One policy on one drawing of the arrivals.
struct ReplayResult {
  std::string policy;
  std::uint64_t seed = 1;
  ReplayTotals totals;
  std::vector<TypeUse> types;  // of the market
  double step_s = 3600;        // of the points
  std::vector<ReplayPoint> points;
  std::uint64_t decisions_made = 0;
  std::vector<ReplayDecision> decisions;  // the first kMostReplayDecisions that changed something
};

}  // namespace stash
