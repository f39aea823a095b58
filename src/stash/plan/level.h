#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "stash/plan/device_kind.h"
#include "stash/plan/layer_split.h"

namespace stash {

// What the search may do and how it counts.
struct LayerPlanRules {
  double batch = 256;                      // samples of a step, over all devices
  double element_bytes = 4;                // of an activation or its gradient
  std::optional<double> gradient_bytes{};  // of a weight's gradient that is summed; nullopt: as of an activation
  double held_bytes_per_weight = 16;       // weight, gradient, and what the optimizer keeps
  double smallest_ratio = 0.05;            // of a level between devices of different kinds
  bool published = false;  // communication only, equal halves, nothing rounded: the published program's cost
  bool overlaps = true;    // weight gradients travel during the rest of the backward pass
  bool equal_halves = false;
  bool one_ratio = false;   // of all layers of a level
  bool whole_units = true;  // samples and channels are not cut
  int most_levels = 64;
};

// Half of a group: some devices of one kind, or several kinds.
struct LevelSide {
  int devices = 1;
  double bytes_per_s = 1;
  bool leaves_node = false;       // it reaches the other side over networks
  double memory_bytes = 0;        // 0: not limited
  std::vector<double> layer_s{};  // each layer's whole work by these devices together; empty: not counted
  std::vector<double> fixed_s{};  // each layer's time beside it, however small the part; empty: none
};

// One group that a level splits, with what it has of every layer.
struct LevelGroup {
  std::vector<Shares> shares{};
  LevelSide left;
  LevelSide right;
  double ratio = 0.5;        // where it is not free
  std::vector<int> kinds{};  // on the left; those of `right_kinds` are on the right
  std::vector<int> right_kinds{};
};

// A bisection. All its groups get the same types; with one group whose halves differ the ratio is free too.
struct Level {
  std::string name{};
  std::vector<LevelGroup> groups{};
  bool ratio_is_free = false;
};

// The types that a layer may get, one bit for each.
inline constexpr unsigned bit_of(PartitionType type) { return 1U << static_cast<unsigned>(type); }
inline constexpr unsigned kAllTypes =
    bit_of(PartitionType::batch) | bit_of(PartitionType::input) | bit_of(PartitionType::output);
inline constexpr unsigned kHyParTypes = bit_of(PartitionType::batch) | bit_of(PartitionType::input);

struct LevelQuestion {
  const SplitNetwork& network;
  const Level& level;
  const LayerPlanRules& rules;
  std::vector<unsigned> allowed{};  // by layer
  double memory_price = 0;          // seconds for the share of a side's memory that is used
};

// Elements that a side exchanges within a layer, counted in activations: sums of weight gradients may be wider.
double within_elements(const LevelQuestion& question, int layer, PartitionType type, const Shares& shares);

// Seconds of a layer by itself, and of what passes between two, on the side that takes longer. With the published cost
// they are elements. Infinite where the split cannot be.
double own_cost(const LevelQuestion& question, int layer, const LayerSplit& split);
// `in_whole_units`: the ratios are those of whole_ratio, and need not be rounded again.
double pair_cost(const LevelQuestion& question, const SplitEdge& edge, const LayerSplit& from, const LayerSplit& to,
                 bool in_whole_units = false);

// What the left half of a group gets: the split's ratio, or the group's own, in whole samples or channels.
double left_ratio(const LevelQuestion& question, const LevelGroup& group, int layer, const LayerSplit& split);

// The nearest ratio that gives both sides whole samples or channels; nullopt: there are fewer than two.
std::optional<double> whole_ratio(const LevelQuestion& question, int layer, PartitionType type, double ratio);

// The cheapest splits, exactly for ratios that are fixed; free ratios are narrowed down step by step.
std::vector<LayerSplit> cheapest_splits(const LevelQuestion& question);
double cost_of(const LevelQuestion& question, std::span<const LayerSplit> splits);

}  // namespace stash
