#pragma once

#include "stash/models/graph.h"

namespace stash {

inline int count_layers(const Graph& graph, Op op) {
  int n = 0;
  for (const Layer& layer : graph.layers) n += layer.op == op;
  return n;
}

}  // namespace stash
