#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "stash/fleet/replay/replay_fleet.h"
#include "stash/fleet/replay/replay_result.h"

namespace stash {

// A mean over seeds with its 95 % interval; one seed has none.
struct SeedMean {
  double mean = 0;
  std::optional<double> low{}, high{};
};

// One policy over all seeds.
struct PolicyReplay {
  std::string name;
  double price_ratio = 1;          // a managed service's
  std::vector<ReplayResult> runs;  // at least one
  std::string why_not{};           // nothing was replayed, and why; runs is empty

  SeedMean over_seeds(const std::function<double(const ReplayResult&)>& value) const;
  double usd() const;
  double missed_ratio() const;
};

// Policies on the same traffic.
struct ReplayComparison {
  std::string model;
  std::string market;  // where its machines are from
  std::string trace;
  FleetObjective objective;
  TraceSpan span;
  double trace_begin_s = 0;  // on the clock of the file
  double recorded_s = 0;     // of the span, without holes
  std::vector<std::string> types;
  std::vector<std::string> sources;  // of the types
  std::vector<PolicyReplay> policies;
  std::vector<std::string> warnings;
  ReplayFaults faults{};

  const PolicyReplay* find(std::string_view name) const;
  bool meets(const PolicyReplay& policy) const { return policy.missed_ratio() <= 1 - objective.meet_ratio; }
  const PolicyReplay* cheapest_that_meets() const;  // the oracle apart; nullptr: none does
};

}  // namespace stash
