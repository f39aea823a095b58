#include <algorithm>
#include <cmath>
#include <limits>

#include "stash/plan/level.h"

namespace stash {
namespace {

constexpr double kImpossible = std::numeric_limits<double>::infinity();

ExchangeRules exchange_rules(const LayerPlanRules& rules) { return {rules.batch, rules.published}; }

double seconds_of(const LevelSide& side, double elements, const LayerPlanRules& rules) {
  return rules.published ? elements : elements * rules.element_bytes / side.bytes_per_s;
}

// Samples or channels that a group has of a layer.
double units_of(const SplitLayer& layer, PartitionType type, const Shares& shares, double batch) {
  switch (type) {
    case PartitionType::batch:
      return std::round(batch * shares.batch);
    case PartitionType::input:
      return std::round(static_cast<double>(layer.in_channels) * shares.in);
    default:
      return std::round(static_cast<double>(layer.out_channels) * shares.out);
  }
}

bool counts_units(const LayerPlanRules& rules, const SplitLayer& layer, PartitionType type) {
  return rules.whole_units && !rules.published && (layer.weighted || type != PartitionType::output);
}

double held_seconds(const LevelSide& side, const SplitLayer& layer, const Shares& part, const LevelQuestion& question) {
  if (question.memory_price == 0 || side.memory_bytes <= 0) return 0;
  const LayerPlanRules& rules = question.rules;
  const HeldElements held = held_elements(layer, part, rules.batch);
  const double bytes = held.weights * rules.held_bytes_per_weight + held.activations * rules.element_bytes;
  return question.memory_price * bytes / side.memory_bytes;
}

double side_cost(const LevelSide& side, int index, const Shares& shares, PartitionType type, double own,
                 const LevelQuestion& question) {
  const SplitLayer& layer = question.network.layers[static_cast<std::size_t>(index)];
  const Shares part = part_of(shares, layer, type, own);
  const double work_s =
      side.layer_s.empty() ? 0 : side.layer_s[static_cast<std::size_t>(index)] * work_share(part, layer);
  const double fixed_s = side.fixed_s.empty() ? 0 : side.fixed_s[static_cast<std::size_t>(index)];
  const double elements = within_elements(question, index, type, shares);
  return fixed_s + work_s + seconds_of(side, elements, question.rules) + held_seconds(side, layer, part, question);
}

}  // namespace

double within_elements(const LevelQuestion& question, int index, PartitionType type, const Shares& shares) {
  const LayerPlanRules& rules = question.rules;
  const double elements = exchange_within(question.network, index, type, shares, exchange_rules(rules));
  const bool wider = type == PartitionType::batch && rules.gradient_bytes && !rules.published;
  return wider ? elements * *rules.gradient_bytes / rules.element_bytes : elements;
}

double left_ratio(const LevelQuestion& question, const LevelGroup& group, int index, const LayerSplit& split) {
  const double ratio = question.level.groups.size() > 1 ? group.ratio : split.ratio;
  const SplitLayer& layer = question.network.layers[static_cast<std::size_t>(index)];
  if (!counts_units(question.rules, layer, split.type)) return ratio;
  const double units = units_of(layer, split.type, group.shares[static_cast<std::size_t>(index)], question.rules.batch);
  // Every device gets some where there is enough for that: later levels split what this one leaves.
  const bool enough = units >= group.left.devices + group.right.devices;
  const double least = enough ? group.left.devices : 1, rest = enough ? group.right.devices : 1;
  return units < 2 ? ratio : std::clamp(std::round(ratio * units), least, units - rest) / units;
}

std::optional<double> whole_ratio(const LevelQuestion& question, int index, PartitionType type, double ratio) {
  const SplitLayer& layer = question.network.layers[static_cast<std::size_t>(index)];
  if (!counts_units(question.rules, layer, type)) return ratio;
  const auto has_two = [&](const LevelGroup& group) {
    return units_of(layer, type, group.shares[static_cast<std::size_t>(index)], question.rules.batch) >= 2;
  };
  // Where kinds were given different parts, one may have nothing left to split while others go on.
  if (std::ranges::none_of(question.level.groups, has_two)) return std::nullopt;
  return left_ratio(question, question.level.groups.front(), index, {type, ratio});
}

double own_cost(const LevelQuestion& question, int layer, const LayerSplit& split) {
  double most = 0;
  for (const LevelGroup& group : question.level.groups) {
    const Shares& shares = group.shares[static_cast<std::size_t>(layer)];
    const double ratio = left_ratio(question, group, layer, split);
    most = std::max({most, side_cost(group.left, layer, shares, split.type, ratio, question),
                     side_cost(group.right, layer, shares, split.type, 1 - ratio, question)});
  }
  return most;
}

double pair_cost(const LevelQuestion& question, const SplitEdge& edge, const LayerSplit& from, const LayerSplit& to,
                 bool in_whole_units) {
  const bool as_given = in_whole_units && question.level.groups.size() == 1;  // else groups have ratios of their own
  double most = 0;
  const ExchangeRules rules = exchange_rules(question.rules);
  for (const LevelGroup& group : question.level.groups) {
    const Shares& shares = group.shares[static_cast<std::size_t>(edge.to)];
    const double first = as_given ? from.ratio : left_ratio(question, group, edge.from, from);
    const double second = as_given ? to.ratio : left_ratio(question, group, edge.to, to);
    const auto side = [&](const LevelSide& half, double a, double b) {
      const double elements = exchange_between(question.network, edge, {from.type, a}, {to.type, b}, shares, rules);
      return seconds_of(half, elements, question.rules);
    };
    most = std::max({most, side(group.left, first, second), side(group.right, 1 - first, 1 - second)});
  }
  return most;
}

double cost_of(const LevelQuestion& question, std::span<const LayerSplit> splits) {
  double sum = 0;
  for (std::size_t i = 0; i < splits.size(); ++i) sum += own_cost(question, static_cast<int>(i), splits[i]);
  for (const SplitEdge& edge : question.network.edges) {
    sum += pair_cost(question, edge, splits[static_cast<std::size_t>(edge.from)],
                     splits[static_cast<std::size_t>(edge.to)]);
  }
  return sum;
}

}  // namespace stash
