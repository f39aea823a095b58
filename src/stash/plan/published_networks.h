#pragma once

#include <string_view>

#include "stash/plan/split_network.h"

namespace stash {

// A network as the published program has it: weights without biases, and AlexNet with the sizes of its first
// publication (96 and 256 channels, where torchvision's has 64 and 192). Others are those of `models`.
SplitNetwork published_network(std::string_view model);

}  // namespace stash
