#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stash/core/condition.h"

namespace stash {

// A time with its 95 % interval.
struct Estimate {
  double s = 0;
  double low_s = 0;
  double high_s = 0;
  bool operator==(const Estimate&) const = default;
};

inline bool differs_from_zero(const Estimate& time) { return time.low_s > 0 || time.high_s < 0; }
inline double half_width_s(const Estimate& time) { return (time.high_s - time.low_s) / 2; }

// Why a rank is late: it computes longer, waits longer for its batches, or what it sends and gets takes longer.
enum class LateCause { compute, link, input };
constexpr std::string_view to_string(LateCause cause) {
  return cause == LateCause::compute ? "compute" : cause == LateCause::link ? "link" : "input";
}

struct LateRank {
  int rank = 0;
  Condition condition = Condition::apart;  // the first of the chain in which it is late
  double s = 0;                            // behind the median of the other ranks, per step
  LateCause cause = LateCause::compute;
  bool operator==(const LateRank&) const = default;
};

// The published percentages of the Stash study, as ratios; docs/metrics.md.
struct Published {
  std::optional<double> interconnect_ratio, network_ratio, prep_ratio, fetch_ratio;
  bool operator==(const Published&) const = default;
};

// `fetch` after the first epoch, when a share of the data set is in the page cache; predicted, docs/metrics.md.
struct SteadyFetch {
  Estimate fetch;
  double cached_ratio = 0;  // of the samples read, found in the page cache
  bool operator==(const SteadyFetch&) const = default;
};

// Collectives of one kind, per step of a rank that issues any on the group.
struct GroupOperation {
  std::string op;  // allreduce, broadcast, ...
  double calls = 0;
  double bytes = 0;
  bool operator==(const GroupOperation&) const = default;
};

// A line of what communication costs: a process group, switched off alone; or what shows only when several are off
// together, which has no name.
struct GroupTime {
  std::string name;
  std::vector<std::string> used_by = {};
  int ranks = 0;               // of the largest group of this name
  bool between_nodes = false;  // it has ranks on several nodes
  std::vector<GroupOperation> operations = {};
  std::optional<Estimate> exposed = {};  // seconds of a step that it costs
  // Of that, where the group has several ranks on a node and ranks on several: inside nodes, and between them.
  std::optional<Estimate> inside = {}, between = {};
  std::string why_not = {};  // it has no time of its own
};

// Seconds of every step by cause. The present parts sum to the step exactly.
struct Ledger {
  Estimate step;
  std::array<std::optional<Estimate>, kParts.size()> parts;  // by Part; nullopt: has no meaning on this job
  std::map<Condition, Estimate> step_by_condition;
  Published published;
  std::optional<SteadyFetch> steady_fetch;  // nullopt: no fetch, or sizes are not known
  // Interconnect and network by process group; those that have a time add up to both. Empty: groups are not known.
  std::vector<GroupTime> communication;
  std::optional<LateRank> late_rank;
  int rounds = 0;           // complete rounds that the part with the fewest rests on
  int rounds_left_out = 0;  // by that part: complete too, but disturbed from outside

  const std::optional<Estimate>& operator[](Part part) const { return parts[static_cast<int>(part)]; }
  std::optional<Estimate>& operator[](Part part) { return parts[static_cast<int>(part)]; }
};

}  // namespace stash
