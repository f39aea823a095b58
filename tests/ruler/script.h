#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "stash/core/condition.h"

namespace stash {

// What makes simulated times vary. Deviations are those of a single step, which all ranks share.
struct ScriptedNoise {
  double normal_s = 0;           // standard deviation
  double skewed_s = 0;           // the same, log-normal with mean 0
  double calm_ratio = 1;         // how much of these a step has whose batch does not come from the input pipeline
  double drift_ratio_per_s = 0;  // by which everything gets slower as time passes
  double hit_probability = 0;    // that something from outside hits a run of steps
  double hit_s = 0;              // by so much, up to five times as much
  std::uint64_t seed = 1;
};

// A job whose parts are known, and its ways to mislead a ruler.
struct Script {
  int ranks = 1;
  // By Part: what each adds to a step.
  std::array<double, kParts.size()> part_s{0.100, 0.005, 0.030, 0.010, 0.004, 0.020, 0.015};
  ScriptedNoise noise;
  double exchange_s = 20e-6;  // of a meeting and of a message between ranks
  double stop_s = 0;          // how late the host learns that the device is idle

  std::map<int, double> late_s;          // rank: what it takes longer to compute, beside others
  std::map<int, double> late_link_s;     // rank: what it comes later to collectives
  std::map<int, double> clock_offset_s;  // rank: by how much its clock is ahead
  double warmup_s = 0;                   // of the first step ever under each condition
  // False: the workers go on outside input windows, and what they made is kept.
  bool drains = true;
  // Pages that nobody loaded or evicted for the coming steps.
  bool pages_cached = true;
  // False: ranks that trained apart are not given the same weights again.
  bool matches_weights = true;
  std::map<std::string, double> saves_s;               // variant: by how much it shortens a step
  std::optional<std::pair<int, std::string>> refuses;  // a rank that cannot make this variant's change
  std::optional<int> diverges_after_runs;  // the last rank's loss is not finite after this many runs of steps

  double step_s(Condition condition) const {  // as the parts add up to it
    double sum_s = 0;
    for (std::size_t i = 0; i <= static_cast<std::size_t>(condition); ++i) sum_s += part_s[i];
    return sum_s;
  }
  double operator[](Part part) const { return part_s[static_cast<std::size_t>(part)]; }
};

}  // namespace stash
