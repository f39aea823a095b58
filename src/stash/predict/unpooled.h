#pragma once

#include <functional>
#include <string>

#include "stash/models/graph.h"
#include "stash/predict/work.h"

namespace stash {

// The same network as other frameworks build it: torchvision pools the last feature map to a fixed size before the
// classifier of AlexNet and VGG; without that the classifier's first product grows and shrinks with the image.
Graph unpooled(Graph graph);

// The same: other frameworks give a convolution a bias even before a batch norm, but in no network for phones.
Graph with_biases(Graph graph);

// The same: the depthwise convolutions of TensorFlow 2.5.
Graph with_tensorflow_kernels(Graph graph);

// The one of these four whose step, estimated by `step_of`, is nearest to the measured one. `assumption` says what is
// not as in torchvision; empty where nothing is.
struct Built {
  Graph graph;
  std::string assumption;
};
Built as_measured(const Graph& graph, const std::function<StepSum(const Graph&)>& step_of, double measured_step_s);

}  // namespace stash
