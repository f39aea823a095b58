#pragma once

#include <functional>
#include <string_view>

#include "stash/models/models.h"

namespace stash {

using ModelMaker = std::function<Graph(const InputSize&)>;

// A ResNet of any depth or a VGG of any width by its name: resnet<depth>[_nobn][_noshortcut], vgg<depth>[_w<factor>].
// Empty for what is not of this form. UsageError for a depth or a factor that there is not.
ModelMaker find_variant(std::string_view name);

}  // namespace stash
