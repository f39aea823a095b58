#include "stash/plan/published_networks.h"

#include <array>
#include <cstdint>

#include "stash/models/models.h"

namespace stash {
namespace {

struct PublishedLayer {
  std::string_view name;
  int in_channels;
  int in_size;
  int kernel;
  int out_channels;
  int out_size;  // after pooling
};

// Krizhevsky et al., "ImageNet classification with deep convolutional neural networks", both halves together.
constexpr std::array<PublishedLayer, 8> kAlexNet{{{"conv1", 3, 224, 11, 96, 55},
                                                  {"conv2", 96, 55, 5, 256, 27},
                                                  {"conv3", 256, 27, 3, 384, 13},
                                                  {"conv4", 384, 13, 3, 384, 13},
                                                  {"conv5", 384, 13, 3, 256, 6},
                                                  {"fc1", 9216, 1, 1, 4096, 1},
                                                  {"fc2", 4096, 1, 1, 4096, 1},
                                                  {"fc3", 4096, 1, 1, 1000, 1}}};

SplitNetwork published_alexnet() {
  SplitNetwork network{.name = "alexnet"};
  for (const PublishedLayer& layer : kAlexNet) {
    const double in = layer.in_channels, out = layer.out_channels;
    const double in_pixels = static_cast<double>(layer.in_size) * layer.in_size;
    SplitLayer split{.name = std::string(layer.name)};
    split.is_linear = layer.in_size == 1;
    split.weight = in * out * layer.kernel * layer.kernel;
    split.input = in * in_pixels;
    split.output = split.kept = out * layer.out_size * layer.out_size;
    split.in_channels = layer.in_channels;
    split.out_channels = layer.out_channels;
    const int number = static_cast<int>(network.layers.size());
    if (number > 0) network.edges.push_back({number - 1, number, split.input});
    network.layers.push_back(std::move(split));
  }
  return network;
}

}  // namespace

SplitNetwork published_network(std::string_view model) {
  if (model == "alexnet") return published_alexnet();
  Graph graph = make_model(model);
  for (Layer& layer : graph.layers) {
    if (!layer.parameters.empty()) layer.parameters.resize(1);
    if (layer.op != Op::conv2d && layer.op != Op::linear) layer.parameters.clear();
  }
  return split_network(graph);
}

}  // namespace stash
