#include "stash/plan/layer_split.h"

#include <algorithm>

namespace stash {
namespace {

// Where a tensor between two layers is: whole samples, whole channels, or all of it on both sides.
enum class Layout { samples, channels, copies };

Layout read_as(PartitionType type) {
  switch (type) {
    case PartitionType::batch:
      return Layout::samples;
    case PartitionType::input:
      return Layout::channels;
    default:
      return Layout::copies;
  }
}

Layout written_as(const SplitLayer& layer, PartitionType type) {
  if (!layer.weighted || type == PartitionType::batch) return read_as(type);
  return type == PartitionType::input ? Layout::copies : Layout::channels;
}

struct Place {
  Layout layout;
  double own;
};

// The share of a tensor that a side must get from the other so that it has what `to` needs.
double moved_share(const Place& from, const Place& to) {
  if (from.layout == Layout::copies) return 0;
  if (to.layout == Layout::copies) return 1 - from.own;
  if (from.layout == to.layout) return std::max(0.0, to.own - from.own);
  return to.own * (1 - from.own);
}

}  // namespace

std::string_view to_string(PartitionType type) {
  switch (type) {
    case PartitionType::batch:
      return "I";
    case PartitionType::input:
      return "II";
    default:
      return "III";
  }
}

Shares part_of(const Shares& whole, const SplitLayer& layer, PartitionType type, double ratio) {
  Shares part = whole;
  if (type == PartitionType::batch) {
    part.batch *= ratio;
  } else if (layer.weighted) {
    (type == PartitionType::input ? part.in : part.out) *= ratio;
  } else if (type == PartitionType::input) {
    part.in *= ratio;
    part.out *= ratio;
  }
  return part;
}

double work_share(const Shares& shares, const SplitLayer& layer) {
  return shares.batch * shares.in * (layer.weighted ? shares.out : 1);
}

double exchange_within(const SplitNetwork& network, int index, PartitionType type, const Shares& shares,
                       const ExchangeRules& rules) {
  const SplitLayer& layer = network.layers[static_cast<std::size_t>(index)];
  if (!layer.weighted) return 0;
  switch (type) {
    case PartitionType::batch:
      return layer.weight * shares.in * shares.out;
    case PartitionType::input:
      return (rules.output_as_read ? read_output(network, index) : layer.output) * rules.batch * shares.batch *
             shares.out;
    default:
      return layer.input * rules.batch * shares.batch * shares.in;
  }
}

double exchange_between(const SplitNetwork& network, const SplitEdge& edge, const SideSplit& from, const SideSplit& to,
                        const Shares& shares, const ExchangeRules& rules) {
  const Place written{written_as(network.layers[static_cast<std::size_t>(edge.from)], from.type), from.own};
  const Place read{read_as(to.type), to.own};
  const double elements = edge.elements * rules.batch * shares.batch * shares.in;
  return elements * (moved_share(written, read) + moved_share(read, written));
}

HeldElements held_elements(const SplitLayer& layer, const Shares& shares, double batch) {
  const double inputs = layer.weighted ? layer.input * shares.in : 0;
  return {layer.weight * shares.in * shares.out, batch * shares.batch * (inputs + layer.kept * shares.out)};
}

}  // namespace stash
