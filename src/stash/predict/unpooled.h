#pragma once

#include "stash/models/graph.h"

namespace stash {

// The same network as other frameworks build it: torchvision pools the last feature map to a fixed size before the
// classifier of AlexNet and VGG; without that the classifier's first product grows and shrinks with the image.
Graph unpooled(Graph graph);

}  // namespace stash
