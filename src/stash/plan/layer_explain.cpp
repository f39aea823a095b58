#include "stash/plan/layer_explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>

#include "stash/core/error.h"
#include "stash/core/units.h"

namespace stash {
namespace {

constexpr std::size_t kMostChanges = 2000;  // of single layers that are tried for the second-best plan
constexpr double kDiffers = 1e-9;           // of a step: plans that differ by less are the same plan
constexpr double kSaves = 0.99;             // of a step: what is faster by less does not bind
constexpr double kLayerMemoryBytes = 8.0 * (1 << 30);
constexpr double kLayerLinkBytes_per_s = 10e9;
constexpr double kLayerNetworkBytes_per_s = 10e9 / 8;

using Kinds = std::vector<DeviceKind>;

// Every device still has a whole sample and a whole channel.
bool has_whole_units(const LayerPlan& plan, const SplitLayer& split, std::size_t layer, const LayerPlanRules& rules) {
  if (!rules.whole_units) return true;
  constexpr double kAlmostOne = 1 - 1e-6;
  return std::ranges::all_of(plan.shares, [&](const std::vector<Shares>& kind) {
    const Shares& part = kind[layer];
    return part.batch * rules.batch >= kAlmostOne && part.in * static_cast<double>(split.in_channels) >= kAlmostOne &&
           part.out * static_cast<double>(split.out_channels) >= kAlmostOne;
  });
}

class Neighbours {
 public:
  Neighbours(const LayerPlan& best, const SplitNetwork& network, std::span<const DeviceKind> kinds,
             const LayerPlanRules& rules)
      : best_(best), network_(network), kinds_(kinds), rules_(rules) {}

  std::optional<LayerPlan> next() {
    const std::size_t layers = network_.layers.size();
    const std::size_t levels = std::min(best_.levels.size(), std::max<std::size_t>(1, kMostChanges / layers / 2));
    for (std::size_t level = 0; level < levels; ++level) {
      for (std::size_t layer = 0; layer < layers; ++layer) {
        if (!network_.layers[layer].batch_only) try_types(level, layer);
      }
    }
    return std::move(found_);
  }

 private:
  void try_types(std::size_t level, std::size_t layer) {
    const PartitionType was = best_.levels[level].splits[layer].type;
    for (const PartitionType type : {PartitionType::batch, PartitionType::input, PartitionType::output}) {
      if (type == was) continue;
      LayerPlan other = best_;
      other.levels[level].splits[layer].type = type;
      evaluate(other, network_, kinds_, rules_);
      if (!has_whole_units(other, network_.layers[layer], layer, rules_) || missing_bytes(other, kinds_) > 0) continue;
      if (other.step_s < best_.step_s * (1 + kDiffers) || (found_ && found_->step_s <= other.step_s)) continue;
      found_ = std::move(other);
      found_->name = fmt::format("{} as type {}{}", network_.layers[layer].name, to_string(type),
                                 best_.levels.size() > 1 ? fmt::format(" at level {}", level + 1) : "");
    }
  }

  const LayerPlan& best_;
  const SplitNetwork& network_;
  std::span<const DeviceKind> kinds_;
  const LayerPlanRules& rules_;
  std::optional<LayerPlan> found_;
};

// 0 where nothing fits or can be split.
double step_with(const LayerPlan& plan, const SplitNetwork& network, const Kinds& kinds, const LayerPlanRules& rules) {
  double least = 0;
  const auto consider = [&](const LayerPlan& other) {
    if (missing_bytes(other, kinds) <= 0 && (least == 0 || other.step_s < least)) least = other.step_s;
  };
  try {
    consider(fastest_layers(network, kinds, rules));
    LayerPlan same = plan;
    if (make_levels(network, kinds, rules).size() == plan.levels.size()) {
      evaluate(same, network, kinds, rules);
      consider(same);
    }
  } catch (const UsageError&) {
    return 0;  // too few samples or channels for the devices
  }
  return least;
}

Kinds with_more(std::span<const DeviceKind> kinds, const std::function<void(DeviceKind&)>& change) {
  Kinds changed(kinds.begin(), kinds.end());
  std::ranges::for_each(changed, change);
  return changed;
}

}  // namespace

std::optional<LayerPlan> second_best(const LayerPlans& plans, const SplitNetwork& network,
                                     std::span<const DeviceKind> kinds, const LayerPlanRules& rules) {
  std::optional<LayerPlan> second = Neighbours(plans.best, network, kinds, rules).next();
  for (const LayerPlan* other : {&plans.data_best_ratio, &plans.hypar, &plans.owt, &plans.data}) {
    const bool differs = other->step_s > plans.best.step_s * (1 + kDiffers);
    if (differs && missing_bytes(*other, kinds) <= 0 && (!second || other->step_s < second->step_s)) second = *other;
  }
  return second;
}

std::string binding_of(const LayerPlan& plan, const SplitNetwork& network, std::span<const DeviceKind> kinds,
                       const LayerPlanRules& rules) {
  const Kinds unlimited = with_more(kinds, [](DeviceKind& kind) { kind.memory_bytes = 0; });
  const double without_s = step_with(plan, network, unlimited, rules);
  if (without_s > 0 && without_s < plan.step_s * kSaves) {
    return fmt::format("memory: without its limit the best plan would take {}", format_duration(without_s));
  }
  struct Cause {
    double s;
    const char* name;
  };
  const std::array causes{Cause{plan.compute_s, "computing"},
                          Cause{plan.interconnect_s, "the links between devices of a kind or node"},
                          Cause{plan.network_s, "the network between kinds and nodes"}};
  const Cause& most = *std::ranges::max_element(causes, {}, &Cause::s);
  return fmt::format("{}: {:.0f} % of the step", most.name, 100 * most.s / plan.step_s);
}

std::vector<PlanWorth> worth_of_more(const LayerPlan& plan, const SplitNetwork& network,
                                     std::span<const DeviceKind> kinds, const LayerPlanRules& rules) {
  std::vector<PlanWorth> found;
  const auto add = [&](const char* resource, std::string more, const Kinds& changed) {
    const double s = step_with(plan, network, changed, rules);
    if (s > 0) found.push_back({resource, std::move(more), plan.step_s - s});
  };
  add("memory", fmt::format("{} more of each device", format_bytes(kLayerMemoryBytes)),
      with_more(kinds, [](DeviceKind& kind) { kind.memory_bytes += kind.memory_bytes > 0 ? kLayerMemoryBytes : 0; }));
  if (std::ranges::any_of(kinds, [](const DeviceKind& kind) { return kind.per_node > 1; })) {
    add("links", "10 GB/s more of each device",
        with_more(kinds, [](DeviceKind& kind) { kind.link_bytes_per_s += kLayerLinkBytes_per_s; }));
  }
  if (kinds.size() > 1 || kinds.front().nodes > 1) {
    add("network", "10 Gbit/s more of each node",
        with_more(kinds, [](DeviceKind& kind) { kind.network_bytes_per_s += kLayerNetworkBytes_per_s; }));
  }
  for (std::size_t k = 0; k < kinds.size(); ++k) {
    Kinds larger(kinds.begin(), kinds.end());
    DeviceKind& kind = larger[k];
    const bool one_device = kind.nodes == 1 && !kind.by_machine;
    ++(one_device ? kind.per_node : kind.nodes);
    add("devices", fmt::format("{} more {}", one_device || kind.by_machine ? 1 : kind.per_node, kind.name), larger);
    // A device that does not help can be left idle.
    if (!found.empty() && found.back().resource == "devices")
      found.back().saved_s = std::max(0.0, found.back().saved_s);
  }
  std::ranges::stable_sort(found, std::greater{}, &PlanWorth::saved_s);
  return found;
}

}  // namespace stash
