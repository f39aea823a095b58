#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "stash/plan/split_network.h"

namespace stash {

// How a layer is split in two: I by batch, II by input channels, III by output channels. Where branches meet, II holds
// channels and III holds copies.
enum class PartitionType { batch = 1, input = 2, output = 3 };
inline constexpr int kPartitionTypes = 3;
std::string_view to_string(PartitionType type);  // I, II, III

// `ratio` is the left half's share.
struct LayerSplit {
  PartitionType type = PartitionType::batch;
  double ratio = 0.5;
  bool operator==(const LayerSplit&) const = default;
};

// What a group of devices has of a layer's batch and channels, as shares of the whole.
struct Shares {
  double batch = 1;
  double in = 1;
  double out = 1;
};
Shares part_of(const Shares& whole, const SplitLayer& layer, PartitionType type, double ratio);
double work_share(const Shares& shares, const SplitLayer& layer);  // of the layer's operations

// Elements that one side sends and receives, for a whole batch. `own` and its like are the side's ratios.
struct ExchangeRules {
  double batch = 1;             // samples
  bool output_as_read = false;  // A(F_out) after pooling, as the published program has it
};

// Within a layer: partial sums of type I's weight gradients, II's outputs, III's input gradients.
double exchange_within(const SplitNetwork& network, int layer, PartitionType type, const Shares& shares,
                       const ExchangeRules& rules);

// Between two layers, forward and backward. `shares` is what the group has of the later layer, whose input it is.
struct SideSplit {
  PartitionType type = PartitionType::batch;
  double own = 0.5;
};
double exchange_between(const SplitNetwork& network, const SplitEdge& edge, const SideSplit& from, const SideSplit& to,
                        const Shares& shares, const ExchangeRules& rules);

// Elements that a group holds: weights, and what the backward pass reads again.
struct HeldElements {
  double weights = 0;
  double activations = 0;
};
HeldElements held_elements(const SplitLayer& layer, const Shares& shares, double batch);

}  // namespace stash
