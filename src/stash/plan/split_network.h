#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "stash/models/graph.h"

namespace stash {

// A layer with weights, or a place where branches meet. Counts of elements are those of one sample.
struct SplitLayer {
  std::string name{};
  bool weighted = true;     // false: branches meet (add, concat, scale); it exchanges nothing itself
  bool is_linear = false;   // a matrix product, not a convolution
  bool batch_only = false;  // grouped convolutions: their channels do not mix, so AccPar's types say nothing of them
  double weight = 0;        // elements
  double input = 0;         // A(E_in) of one sample: what it reads
  double output = 0;        // A(F_out) of one sample: what it writes, before what follows it shrinks that
  double kept = 0;          // elements kept for the backward pass, its own and those of the layers that go with it
  std::int64_t in_channels = 1;
  std::int64_t out_channels = 1;
  std::vector<int> members{};  // layers of the graph whose time is its own: itself and what follows it without weights
};

// What one layer hands to a later one. `elements` are counted where the later one reads them.
struct SplitEdge {
  int from = 0;
  int to = 0;
  double elements = 0;
};

// A network as its layers can be split. Layers stand in execution order.
struct SplitNetwork {
  std::string name{};
  std::vector<SplitLayer> layers{};
  std::vector<SplitEdge> edges{};
};

// Error where the graph has no layer with weights that can be split.
SplitNetwork split_network(const Graph& graph);

// What a layer writes, as the next one reads it: after the pooling between them. The published cost counts it so.
double read_output(const SplitNetwork& network, int layer);

}  // namespace stash
