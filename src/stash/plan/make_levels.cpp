#include <fmt/format.h>

#include <algorithm>

#include "stash/plan/layer_plan.h"

namespace stash {
namespace {

LevelSide side_of(const DeviceKind& kind, int devices, bool leaves_node) {
  LevelSide side;
  side.devices = devices;
  side.leaves_node = leaves_node;
  side.bytes_per_s = group_bytes_per_s(kind, devices, leaves_node);
  side.memory_bytes = kind.memory_bytes * devices;
  for (double s : kind.layer_s) side.layer_s.push_back(s / devices);
  side.fixed_s = kind.fixed_s;
  return side;
}

// Kinds work side by side: rates add up.
LevelSide joined(std::span<const DeviceKind> kinds, std::span<const int> which) {
  LevelSide sum{.devices = 0, .bytes_per_s = 0, .leaves_node = true};
  for (int k : which) {
    const DeviceKind& kind = kinds[static_cast<std::size_t>(k)];
    const LevelSide one = side_of(kind, kind.count(), true);
    sum.devices += one.devices;
    sum.bytes_per_s += one.bytes_per_s;
    sum.memory_bytes += one.memory_bytes;
    if (sum.layer_s.empty()) {
      sum.layer_s = one.layer_s;
      sum.fixed_s = one.fixed_s;
      continue;
    }
    for (std::size_t i = 0; i < std::min(sum.fixed_s.size(), one.fixed_s.size()); ++i) {
      sum.fixed_s[i] = std::max(sum.fixed_s[i], one.fixed_s[i]);
    }
    for (std::size_t i = 0; i < sum.layer_s.size(); ++i) {
      const double a = sum.layer_s[i], b = one.layer_s[i];
      sum.layer_s[i] = a > 0 && b > 0 ? 1 / (1 / a + 1 / b) : 0;
    }
  }
  return sum;
}

Level between_kinds(const SplitNetwork& network, std::span<const DeviceKind> kinds, int first) {
  Level level{.name = {}, .groups = {}, .ratio_is_free = true};
  LevelGroup group;
  group.shares.resize(network.layers.size());
  group.kinds = {first};
  for (int k = first + 1; k < static_cast<int>(kinds.size()); ++k) group.right_kinds.push_back(k);
  group.left = joined(kinds, group.kinds);
  group.right = joined(kinds, group.right_kinds);
  double left = 0, all = 0;
  for (int k = first; k < static_cast<int>(kinds.size()); ++k) {
    const DeviceKind& kind = kinds[static_cast<std::size_t>(k)];
    (k == first ? left : all) += kind.count();
    level.name += (k == first ? "" : k == first + 1 ? " | " : "+") + kind.text();
  }
  group.ratio = left / (left + all);
  level.groups.push_back(std::move(group));
  return level;
}

// What halvings of a kind take together for a byte, and what a ring over all of it does. They are equal where numbers
// are powers of two; others leave halves that wait for the larger one, which a ring does not.
class RingRates {
 public:
  explicit RingRates(const DeviceKind& kind) : kind_(kind) {
    for (int devices = kind.count(); devices > 1; devices = (devices + 1) / 2) {
      const bool leaves_node = devices > kind.per_node;
      (leaves_node ? network_s_ : links_s_) += 1 / group_bytes_per_s(kind, devices / 2, leaves_node);
    }
  }

  double factor(bool leaves_node) const {
    const int members = leaves_node ? kind_.nodes : std::min(kind_.per_node, kind_.count());
    const double rate = leaves_node ? kind_.network_bytes_per_s : kind_.link_bytes_per_s;
    const double halvings_s = leaves_node ? network_s_ : links_s_;
    const double ring_s = 2.0 * (members - 1) / members / rate;
    return ring_s > 0 && halvings_s > ring_s ? halvings_s / ring_s : 1;
  }

 private:
  const DeviceKind& kind_;
  double network_s_ = 0, links_s_ = 0;
};

void use_ring_rates(LevelGroup& group, const DeviceKind& kind) {
  const double factor = RingRates(kind).factor(group.left.leaves_node);
  group.left.bytes_per_s *= factor, group.right.bytes_per_s *= factor;
}

// A kind's devices in halves; the left one gets the odd one.
LevelGroup halves(const SplitNetwork& network, const DeviceKind& kind, int number, int devices) {
  const int left = (devices + 1) / 2, right = devices - left;
  LevelGroup group;
  group.shares.resize(network.layers.size());
  group.left = side_of(kind, left, devices > kind.per_node);
  group.right = side_of(kind, right, devices > kind.per_node);
  // What moves between halves of different nodes passes their networks.
  group.ratio = static_cast<double>(left) / devices;
  group.kinds = {number};
  use_ring_rates(group, kind);
  return group;
}

}  // namespace

std::string DeviceKind::text() const { return fmt::format("{}x{}", by_machine ? nodes : count(), name); }

std::string DeviceKind::text_of(int devices) const {
  if (!by_machine) return fmt::format("{}x{}", devices, name);
  return fmt::format("{} GPU{} of {}", devices, devices == 1 ? "" : "s", name);
}

double group_bytes_per_s(const DeviceKind& kind, int devices, bool leaves_node) {
  if (!leaves_node) return kind.link_bytes_per_s * devices;
  const double nodes = static_cast<double>(devices) / kind.per_node;
  return kind.network_bytes_per_s * std::max(1.0, nodes);
}

std::vector<Level> make_levels(const SplitNetwork& network, std::span<const DeviceKind> kinds,
                               const LayerPlanRules& rules) {
  std::vector<Level> levels;
  for (int k = 0; k + 1 < static_cast<int>(kinds.size()); ++k) levels.push_back(between_kinds(network, kinds, k));
  std::vector<int> devices;
  for (const DeviceKind& kind : kinds) devices.push_back(kind.count());
  while (static_cast<int>(levels.size()) < rules.most_levels) {
    Level level;
    for (std::size_t k = 0; k < kinds.size(); ++k) {
      if (devices[k] < 2) continue;
      level.groups.push_back(halves(network, kinds[k], static_cast<int>(k), devices[k]));
      level.name += fmt::format("{}{} in halves", level.name.empty() ? "" : ", ", kinds[k].text_of(devices[k]));
      devices[k] = (devices[k] + 1) / 2;
    }
    if (level.groups.empty()) break;
    levels.push_back(std::move(level));
  }
  return levels;
}

std::vector<Level> published_levels(const SplitNetwork& network, int count) {
  std::vector<Level> levels;
  for (int i = 0; i < count; ++i) {
    Level level{.name = fmt::format("level {}", i), .groups = {}};
    LevelGroup group;
    group.shares.resize(network.layers.size());
    level.groups.push_back(std::move(group));
    levels.push_back(std::move(level));
  }
  return levels;
}

}  // namespace stash
