#pragma once

#include <random>

#include "stash/plan/split_network.h"

namespace stash {

// A chain with forks and joins of random sizes.
inline SplitNetwork random_network(std::mt19937& random, int layers) {
  const auto whole = [&](int least, int most) { return std::uniform_int_distribution<int>(least, most)(random); };
  SplitNetwork network{.name = "random"};
  for (int i = 0; i < layers; ++i) {
    SplitLayer layer{.name = "layer"};
    layer.weighted = i == 0 || whole(0, 4) > 0;
    layer.in_channels = whole(2, 512);
    layer.out_channels = whole(2, 512);
    const double pixels = whole(1, 1000);
    layer.weight = layer.weighted ? static_cast<double>(layer.in_channels * layer.out_channels * whole(1, 9)) : 0;
    layer.input = static_cast<double>(layer.in_channels) * pixels;
    layer.output = layer.kept = static_cast<double>(layer.out_channels) * pixels;
    if (i > 0) network.edges.push_back({whole(0, 3) > 0 ? i - 1 : whole(0, i - 1), i, layer.input});
    if (i > 1 && whole(0, 2) == 0) network.edges.push_back({whole(0, i - 2), i, layer.input});
    network.layers.push_back(layer);
  }
  return network;
}

}  // namespace stash
