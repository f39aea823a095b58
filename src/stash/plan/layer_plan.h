#pragma once

#include <optional>
#include <string>
#include <vector>

#include "stash/core/ledger.h"
#include "stash/plan/level.h"

namespace stash {

// The splits of one level, by split layer.
struct PlannedLevel {
  std::string name{};
  std::vector<LayerSplit> splits{};
  double cost = 0;  // of one group's slower side: seconds, or elements with the published cost
};

// What a layer costs under a plan, on the devices that take longest.
struct PlannedLayer {
  double compute_s = 0;
  double within_s = 0;         // exchanges within the layer
  double between_s = 0;        // exchanges with the layers before it
  double network_s = 0;        // of both exchanges: between nodes
  double exchanged_bytes = 0;  // sent by a device that sends most
  double exchanged_s() const { return within_s + between_s; }
};

struct LayerPlan {
  std::string name{};  // accpar, data, data_best_ratio, owt, hypar
  std::vector<PlannedLevel> levels{};
  std::vector<PlannedLayer> layers{};
  double step_s = 0;
  double compute_s = 0;                       // of the step: layers and optimizer
  double interconnect_s = 0, network_s = 0;   // the rest of it: exchanges that nothing hides
  std::optional<Estimate> interval{};         // of the step; nullopt: nothing is known of it
  std::vector<double> memory_bytes{};         // of a device, by kind
  std::vector<std::vector<Shares>> shares{};  // by kind, by layer: of the devices with the largest part
};

// The bisections of devices of several kinds: first between kinds, one at a time, then all kinds in halves together.
std::vector<Level> make_levels(const SplitNetwork& network, std::span<const DeviceKind> kinds,
                               const LayerPlanRules& rules);

// The published program's: `levels` halvings of equal devices.
std::vector<Level> published_levels(const SplitNetwork& network, int levels);

// Chooses level by level, outermost first. `allowed` holds types by layer; empty: all three.
LayerPlan plan_layers(const SplitNetwork& network, std::span<const DeviceKind> kinds, const LayerPlanRules& rules,
                      const std::vector<unsigned>& allowed, double memory_price = 0);
LayerPlan plan_published(const SplitNetwork& network, int levels, const LayerPlanRules& rules,
                         const std::vector<unsigned>& allowed);

// Types that a baseline allows, by layer.
std::vector<unsigned> data_types(const SplitNetwork& network);
std::vector<unsigned> owt_types(const SplitNetwork& network);  // convolutions by batch, others by input channels
std::vector<unsigned> hypar_types(const SplitNetwork& network);

// Step time and memory of splits that are known; `levels` as make_levels has them.
void evaluate(LayerPlan& plan, const SplitNetwork& network, std::span<const DeviceKind> kinds,
              const LayerPlanRules& rules);

// Moves the ratios of each level together where that makes the step shorter.
void settle_ratios(LayerPlan& plan, const SplitNetwork& network, std::span<const DeviceKind> kinds,
                   const LayerPlanRules& rules);

struct LayerPlans {
  LayerPlan best;
  std::optional<LayerPlan> second;  // with other types or ratios somewhere
  LayerPlan data, data_best_ratio, owt, hypar;
  std::optional<LayerPlan> fast_only;  // nullopt: all devices are of one kind
  std::string fast_kind{};
};

// The fastest plan that memory allows, or where none does the one that needs the least.
LayerPlan fastest_layers(const SplitNetwork& network, std::span<const DeviceKind> kinds, const LayerPlanRules& rules);

// Bytes that are missing on the device that lacks most; 0 or less: it fits.
double missing_bytes(const LayerPlan& plan, std::span<const DeviceKind> kinds);

// The plan and what it is compared with. Error where nothing fits: how much is missing.
LayerPlans plan_with_baselines(const SplitNetwork& network, std::span<const DeviceKind> kinds,
                               const LayerPlanRules& rules);

}  // namespace stash
