#include "stash/plan/layer_plan.h"

#include <algorithm>

namespace stash {
namespace {

// What every kind's devices have of each layer, level by level.
class SharesByKind {
 public:
  SharesByKind(const SplitNetwork& network, std::size_t kinds)
      : network_(network), shares_(kinds, std::vector<Shares>(network.layers.size())) {}

  void give(Level& level) const {
    for (LevelGroup& group : level.groups) {
      if (!shares_.empty()) group.shares = shares_[first_kind(group)];
    }
  }

  void take(const LevelQuestion& question, std::span<const LayerSplit> splits) {
    for (const LevelGroup& group : question.level.groups) {
      for (std::size_t i = 0; i < splits.size(); ++i) {
        const double ratio = left_ratio(question, group, static_cast<int>(i), splits[i]);
        for (int k : group.kinds) apply(k, i, splits[i].type, ratio);
        for (int k : group.right_kinds) apply(k, i, splits[i].type, 1 - ratio);
      }
    }
  }

  const std::vector<std::vector<Shares>>& all() const { return shares_; }

 private:
  static std::size_t first_kind(const LevelGroup& group) { return static_cast<std::size_t>(group.kinds.front()); }
  void apply(int kind, std::size_t layer, PartitionType type, double ratio) {
    Shares& shares = shares_[static_cast<std::size_t>(kind)][layer];
    shares = part_of(shares, network_.layers[layer], type, ratio);
  }

  const SplitNetwork& network_;
  std::vector<std::vector<Shares>> shares_;
};

LayerPlan choose(const SplitNetwork& network, std::vector<Level> levels, std::size_t kinds, const LayerPlanRules& rules,
                 const std::vector<unsigned>& allowed, double memory_price) {
  SharesByKind shares(network, kinds);
  LayerPlan plan;
  for (Level& level : levels) {
    shares.give(level);
    const LevelQuestion question{network, level, rules, allowed, memory_price};
    PlannedLevel& planned = plan.levels.emplace_back(PlannedLevel{level.name, cheapest_splits(question)});
    planned.cost = cost_of(question, planned.splits);
    shares.take(question, plan.levels.back().splits);
  }
  plan.shares = shares.all();
  return plan;
}

double half_s(const LevelSide& side, double elements, const LayerPlanRules& rules) {
  return elements * rules.element_bytes / side.bytes_per_s;
}

// Adds what a level's exchanges take to the layers of every kind, and what a device of it sends.
class Exchanges {
 public:
  Exchanges(const LevelQuestion& question, std::span<const LayerSplit> splits,
            std::vector<std::vector<PlannedLayer>>& layers, std::span<const DeviceKind> kinds)
      : question_(question), splits_(splits), layers_(layers), kinds_(kinds) {}

  void add() {
    for (const LevelGroup& group : question_.level.groups) {
      for (int i = 0; i < static_cast<int>(splits_.size()); ++i) add_within(group, i);
      for (const SplitEdge& edge : question_.network.edges) add_between(group, edge);
    }
  }

 private:
  const LayerSplit& split(int layer) const { return splits_[static_cast<std::size_t>(layer)]; }
  ExchangeRules rules() const { return {question_.rules.batch, question_.rules.published}; }

  void charge(std::span<const int> to, int layer, bool within, const LevelSide& side, double elements) {
    int devices = 0;
    for (int k : to) devices += kinds_[static_cast<std::size_t>(k)].count();
    for (int k : to) {
      PlannedLayer& planned = layers_[static_cast<std::size_t>(k)][static_cast<std::size_t>(layer)];
      const double s = half_s(side, elements, question_.rules);
      (within ? planned.within_s : planned.between_s) += s;
      if (side.leaves_node) planned.network_s += s;
      planned.exchanged_bytes += elements * question_.rules.element_bytes / std::max(1, devices);
    }
  }

  void add_within(const LevelGroup& group, int layer) {
    const double elements =
        within_elements(question_, layer, split(layer).type, group.shares[static_cast<std::size_t>(layer)]);
    charge(group.kinds, layer, true, slower(group, elements, elements), elements);
    if (!group.right_kinds.empty()) charge(group.right_kinds, layer, true, group.right, elements);
  }

  // Halves of one kind: the slower one decides for both.
  const LevelSide& slower(const LevelGroup& group, double left, double right) const {
    if (!group.right_kinds.empty()) return group.left;
    return half_s(group.left, left, question_.rules) >= half_s(group.right, right, question_.rules) ? group.left
                                                                                                    : group.right;
  }

  void add_between(const LevelGroup& group, const SplitEdge& edge) {
    const double a = left_ratio(question_, group, edge.from, split(edge.from));
    const double b = left_ratio(question_, group, edge.to, split(edge.to));
    const auto elements = [&](double from, double to) {
      return exchange_between(question_.network, edge, {split(edge.from).type, from}, {split(edge.to).type, to},
                              group.shares[static_cast<std::size_t>(edge.to)], rules());
    };
    const double left = elements(a, b), right = elements(1 - a, 1 - b);
    const LevelSide& side = slower(group, left, right);
    charge(group.kinds, edge.to, false, side, &side == &group.left ? left : right);
    if (!group.right_kinds.empty()) charge(group.right_kinds, edge.to, false, group.right, right);
  }

  const LevelQuestion& question_;
  std::span<const LayerSplit> splits_;
  std::vector<std::vector<PlannedLayer>>& layers_;
  std::span<const DeviceKind> kinds_;
};

double total_s(const PlannedLayer& layer) { return layer.compute_s + layer.exchanged_s(); }

// Nothing passes between layers: kinds wait for each other at the step's end alone, and not at every layer.
bool waits_at_end(const LayerPlan& plan) {
  return std::ranges::all_of(plan.levels, [](const PlannedLevel& level) {
    return std::ranges::all_of(level.splits, [&](const LayerSplit& split) {
      return split.type == PartitionType::batch && split.ratio == level.splits.front().ratio;
    });
  });
}

// What computing leaves of the step is exchanges, where their time goes.
void set_parts(LayerPlan& plan, double optimizer_s) {
  double computed_s = 0, exchanged_s = 0, network_s = 0;
  for (const PlannedLayer& layer : plan.layers) {
    computed_s += layer.compute_s;
    exchanged_s += layer.exchanged_s();
    network_s += layer.network_s;
  }
  plan.compute_s = std::min(plan.step_s, computed_s + optimizer_s);
  const double exposed_s = plan.step_s - plan.compute_s;
  plan.network_s = exchanged_s > 0 ? exposed_s * network_s / exchanged_s : 0;
  plan.interconnect_s = exposed_s - plan.network_s;
}

// Weight gradients travel while layers before them compute, the last layer's first.
double overlapped_step_s(const LayerPlan& plan, std::span<const PlannedLayer> layers) {
  constexpr double kBackwardShare = 2.0 / 3;  // of a layer's computing
  double forward_s = 0, now_s = 0, sent_s = 0;
  const auto& splits = plan.levels.empty() ? std::vector<LayerSplit>{} : plan.levels.front().splits;
  for (std::size_t i = layers.size(); i-- > 0;) {
    const PlannedLayer& layer = layers[i];
    const bool by_batch = i < splits.size() && splits[i].type == PartitionType::batch;
    const double others_s = layer.between_s + (by_batch ? 0 : layer.within_s);
    forward_s += layer.compute_s * (1 - kBackwardShare) + others_s / 2;
    now_s += layer.compute_s * kBackwardShare + others_s / 2;
    if (by_batch) sent_s = std::max(sent_s, now_s) + layer.within_s;
  }
  return forward_s + std::max(now_s, sent_s);
}

double step_of(const LayerPlan& plan, std::span<const PlannedLayer> layers, const LayerPlanRules& rules) {
  if (rules.overlaps) return overlapped_step_s(plan, layers);
  double in_turn_s = 0;
  for (const PlannedLayer& layer : layers) in_turn_s += total_s(layer);
  return in_turn_s;
}

// The layers of the slowest kind, or where kinds wait for each other at every layer, each layer of the slowest.
std::vector<PlannedLayer> slowest_layers(const LayerPlan& plan, const std::vector<std::vector<PlannedLayer>>& layers,
                                         const LayerPlanRules& rules) {
  if (waits_at_end(plan)) {
    return *std::ranges::max_element(
        layers, {}, [&](const std::vector<PlannedLayer>& of_kind) { return step_of(plan, of_kind, rules); });
  }
  std::vector<PlannedLayer> slowest = layers.front();
  for (const std::vector<PlannedLayer>& of_kind : layers) {
    for (std::size_t i = 0; i < of_kind.size(); ++i) {
      if (total_s(of_kind[i]) > total_s(slowest[i])) slowest[i] = of_kind[i];
    }
  }
  return slowest;
}

}  // namespace

void evaluate(LayerPlan& plan, const SplitNetwork& network, std::span<const DeviceKind> kinds,
              const LayerPlanRules& rules) {
  std::vector<std::vector<PlannedLayer>> layers(kinds.size(), std::vector<PlannedLayer>(network.layers.size()));
  SharesByKind shares(network, kinds.size());
  std::vector<Level> levels = make_levels(network, kinds, rules);
  for (std::size_t l = 0; l < levels.size(); ++l) {
    shares.give(levels[l]);
    const LevelQuestion question{network, levels[l], rules, {}, 0};
    Exchanges(question, plan.levels[l].splits, layers, kinds).add();
    shares.take(question, plan.levels[l].splits);
  }
  plan.shares = shares.all();
  plan.memory_bytes.assign(kinds.size(), 0);
  double weights = 0, optimizer_s = 0;
  for (const SplitLayer& layer : network.layers) weights += layer.weight;
  for (std::size_t k = 0; k < kinds.size(); ++k) {
    double held_weights = 0;
    for (std::size_t i = 0; i < network.layers.size(); ++i) {
      const Shares& part = plan.shares[k][i];
      PlannedLayer& layer = layers[k][i];
      if (!kinds[k].layer_s.empty()) layer.compute_s = kinds[k].layer_s[i] * work_share(part, network.layers[i]);
      if (!kinds[k].fixed_s.empty()) layer.compute_s += kinds[k].fixed_s[i];
      const HeldElements held = held_elements(network.layers[i], part, rules.batch);
      plan.memory_bytes[k] += held.weights * rules.held_bytes_per_weight + held.activations * rules.element_bytes;
      held_weights += held.weights;
    }
    // It begins when all gradients are summed.
    optimizer_s = std::max(optimizer_s, kinds[k].optimizer_s * held_weights / std::max(1.0, weights));
  }
  plan.layers = slowest_layers(plan, layers, rules);
  plan.step_s = step_of(plan, plan.layers, rules) + optimizer_s;
  set_parts(plan, optimizer_s);
}

// Levels are chosen by the sum of what layers cost one by one; in a step, gradients travel beside the computing.
void settle_ratios(LayerPlan& plan, const SplitNetwork& network, std::span<const DeviceKind> kinds,
                   const LayerPlanRules& rules) {
  constexpr double kFirst = 1.0 / 64, kLast = 1.0 / 256;
  if (rules.equal_halves) return;
  const std::vector<Level> levels = make_levels(network, kinds, rules);
  const auto moved = [&](std::size_t l, double by) {
    LayerPlan other = plan;
    const LevelQuestion question{network, levels[l], rules, {}, 0};
    for (std::size_t i = 0; i < other.levels[l].splits.size(); ++i) {
      LayerSplit& split = other.levels[l].splits[i];
      const double wanted = std::clamp(split.ratio + by, rules.smallest_ratio, 1 - rules.smallest_ratio);
      split.ratio = whole_ratio(question, static_cast<int>(i), split.type, wanted).value_or(split.ratio);
    }
    evaluate(other, network, kinds, rules);
    return other;
  };
  for (std::size_t l = 0; l < levels.size() && levels[l].ratio_is_free; ++l) {
    for (double by = kFirst; by >= kLast; by /= 2) {
      for (bool better = true; better;) {
        better = false;
        for (const double way : {-by, by}) {
          LayerPlan other = moved(l, way);
          if (other.step_s >= plan.step_s * (1 - 1e-9)) continue;
          plan = std::move(other), better = true;
          break;
        }
      }
    }
  }
}

LayerPlan plan_layers(const SplitNetwork& network, std::span<const DeviceKind> kinds, const LayerPlanRules& rules,
                      const std::vector<unsigned>& allowed, double memory_price) {
  LayerPlan plan = choose(network, make_levels(network, kinds, rules), kinds.size(), rules, allowed, memory_price);
  evaluate(plan, network, kinds, rules);
  if (memory_price == 0) settle_ratios(plan, network, kinds, rules);
  return plan;
}

LayerPlan plan_published(const SplitNetwork& network, int levels, const LayerPlanRules& rules,
                         const std::vector<unsigned>& allowed) {
  std::vector<Level> made = published_levels(network, levels);
  for (Level& level : made) level.groups.front().kinds = {0};
  return choose(network, std::move(made), 1, rules, allowed, 0);
}

std::vector<unsigned> data_types(const SplitNetwork& network) {
  return std::vector<unsigned>(network.layers.size(), bit_of(PartitionType::batch));
}

std::vector<unsigned> owt_types(const SplitNetwork& network) {
  std::vector<unsigned> types = data_types(network);
  for (std::size_t i = 0; i < types.size(); ++i) {
    const SplitLayer& layer = network.layers[i];
    if (layer.weighted && layer.is_linear) types[i] = bit_of(PartitionType::input);
  }
  return types;
}

std::vector<unsigned> hypar_types(const SplitNetwork& network) {
  return std::vector<unsigned>(network.layers.size(), kHyParTypes);
}

}  // namespace stash
