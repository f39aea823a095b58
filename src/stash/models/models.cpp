#include "stash/models/models.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "stash/core/error.h"
#include "stash/models/families.h"
#include "stash/models/gpt_spec.h"
#include "stash/models/model_variants.h"

namespace stash {
namespace {

constexpr int kMinImageSize = 32;
constexpr int kMaxImageSize = 4096;  // far above what these networks are trained on; keeps every count in range

template <int depth>
Graph resnet(const InputSize& input) {
  return make_resnet({.depth = depth}, input);
}

template <int depth>
Graph resnet_nobn(const InputSize& input) {
  return make_resnet({.depth = depth, .batch_norm = false}, input);
}

template <int depth>
Graph resnet_noshortcut(const InputSize& input) {
  return make_resnet({.depth = depth, .shortcuts = false}, input);
}

template <int depth>
Graph vgg(const InputSize& input) {
  return make_vgg({.depth = depth}, input);
}

Graph bert_base(const InputSize& input) {
  return make_bert({.name = "bert_base", .layers = 12, .hidden = 768, .heads = 12}, input);
}

Graph bert_large(const InputSize& input) {
  return make_bert({.name = "bert_large", .layers = 24, .hidden = 1024, .heads = 16}, input);
}

Graph bert_base_pretrain(const InputSize& input) {
  return make_bert_pretrain({.name = "bert_base_pretrain", .layers = 12, .hidden = 768, .heads = 12}, input);
}

Graph bert_large_pretrain(const InputSize& input) {
  return make_bert_pretrain({.name = "bert_large_pretrain", .layers = 24, .hidden = 1024, .heads = 16}, input);
}

Graph resnext101_32x4d(const InputSize& input) {
  return make_resnet({.depth = 101, .groups = 32, .group_channels = 4}, input);
}

Graph efficientnet_b0(const InputSize& input) {
  return make_efficientnet({.name = "efficientnet_b0", .dropout = 0.2}, input);
}

Graph efficientnet_b4(const InputSize& input) {
  return make_efficientnet({.name = "efficientnet_b4", .width = 1.4, .depth = 1.8, .dropout = 0.4}, input);
}

Graph gpt2(const InputSize& input) {
  return make_gpt({.name = "gpt2", .layers = 12, .hidden = 768, .heads = 12, .max_seq_len = 1024, .vocabulary = 50257},
                  input);
}

constexpr std::array kModels{
    ModelEntry{"alexnet", "AlexNet", make_alexnet},
    ModelEntry{"resnet10", "ResNet of basic blocks 1, 1, 1, 1", resnet<10>},
    ModelEntry{"resnet12", "ResNet of basic blocks 2, 1, 1, 1", resnet<12>},
    ModelEntry{"resnet16", "ResNet of basic blocks 2, 2, 2, 1", resnet<16>},
    ModelEntry{"resnet18", "ResNet of basic blocks 2, 2, 2, 2", resnet<18>},
    ModelEntry{"resnet34", "ResNet of basic blocks 3, 4, 6, 3", resnet<34>},
    ModelEntry{"resnet50", "ResNet of bottlenecks 3, 4, 6, 3", resnet<50>},
    ModelEntry{"resnet101", "ResNet of bottlenecks 3, 4, 23, 3", resnet<101>},
    ModelEntry{"resnet152", "ResNet of bottlenecks 3, 8, 36, 3", resnet<152>},
    ModelEntry{"resnet10_nobn", "resnet10 without batch norm", resnet_nobn<10>},
    ModelEntry{"resnet12_nobn", "resnet12 without batch norm", resnet_nobn<12>},
    ModelEntry{"resnet16_nobn", "resnet16 without batch norm", resnet_nobn<16>},
    ModelEntry{"resnet18_nobn", "resnet18 without batch norm", resnet_nobn<18>},
    ModelEntry{"resnet34_nobn", "resnet34 without batch norm", resnet_nobn<34>},
    ModelEntry{"resnet50_nobn", "resnet50 without batch norm", resnet_nobn<50>},
    ModelEntry{"resnet101_nobn", "resnet101 without batch norm", resnet_nobn<101>},
    ModelEntry{"resnet152_nobn", "resnet152 without batch norm", resnet_nobn<152>},
    ModelEntry{"resnet10_noshortcut", "resnet10 without shortcuts", resnet_noshortcut<10>},
    ModelEntry{"resnet12_noshortcut", "resnet12 without shortcuts", resnet_noshortcut<12>},
    ModelEntry{"resnet16_noshortcut", "resnet16 without shortcuts", resnet_noshortcut<16>},
    ModelEntry{"resnet18_noshortcut", "resnet18 without shortcuts", resnet_noshortcut<18>},
    ModelEntry{"resnet34_noshortcut", "resnet34 without shortcuts", resnet_noshortcut<34>},
    ModelEntry{"resnet50_noshortcut", "resnet50 without shortcuts", resnet_noshortcut<50>},
    ModelEntry{"resnet101_noshortcut", "resnet101 without shortcuts", resnet_noshortcut<101>},
    ModelEntry{"resnet152_noshortcut", "resnet152 without shortcuts", resnet_noshortcut<152>},
    ModelEntry{"resnext101_32x4d", "ResNeXt-101, 32 groups of 4 channels", resnext101_32x4d},
    ModelEntry{"vgg11", "VGG, 11 layers", vgg<11>},
    ModelEntry{"vgg13", "VGG, 13 layers", vgg<13>},
    ModelEntry{"vgg16", "VGG, 16 layers", vgg<16>},
    ModelEntry{"vgg19", "VGG, 19 layers", vgg<19>},
    ModelEntry{"squeezenet1_0", "SqueezeNet 1.0", make_squeezenet1_0},
    ModelEntry{"shufflenet_v2_x0_5", "ShuffleNet V2, half width", make_shufflenet_v2_x0_5},
    ModelEntry{"mobilenet_v2", "MobileNet V2", make_mobilenet_v2},
    ModelEntry{"efficientnet_b0", "EfficientNet B0", efficientnet_b0},
    ModelEntry{"efficientnet_b4", "EfficientNet B4, 380 pixels", efficientnet_b4, 380},
    ModelEntry{"inception_v3", "Inception v3 with its auxiliary head, 299 pixels", make_inception_v3, 299},
    ModelEntry{"vit_b_16", "Vision transformer, base, patches of 16", make_vit_b_16},
    ModelEntry{"bert_base", "BERT base, question answering", bert_base},
    ModelEntry{"bert_large", "BERT large, question answering", bert_large},
    ModelEntry{"bert_base_pretrain", "BERT base, pre-training", bert_base_pretrain},
    ModelEntry{"bert_large_pretrain", "BERT large, pre-training", bert_large_pretrain},
    ModelEntry{"gpt2", "GPT-2, 124M, next token", gpt2},
};

ModelMaker find_model(std::string_view name) {
  const auto found = std::ranges::find(kModels, name, &ModelEntry::name);
  if (found != kModels.end()) return found->make;
  if (ModelMaker variant = find_variant(name)) return variant;
  std::array<std::string_view, kModels.size()> names;
  std::ranges::transform(kModels, names.begin(), &ModelEntry::name);
  throw_unknown("model", name, names);
}

void check_image_size(int size) {
  if (size >= kMinImageSize && size <= kMaxImageSize) return;
  throw UsageError(fmt::format("--image-size {} is out of range: {} to {} pixels", size, kMinImageSize, kMaxImageSize));
}

// The smallest size above the one that failed; networks that need more than the minimum need little more.
std::optional<int> next_valid_size(const ModelMaker& make, InputSize input) {
  constexpr int kTries = 96;
  for (int i = 0; i < kTries && input.image_size < kMaxImageSize; ++i) {
    ++input.image_size;
    try {
      make(input);
      return input.image_size;
    } catch (const UsageError&) {
    }
  }
  return std::nullopt;
}

}  // namespace

std::span<const ModelEntry> model_table() { return kModels; }

int default_image_size(std::string_view model) {
  const auto found = std::ranges::find(kModels, model, &ModelEntry::name);
  return found == kModels.end() ? InputSize{}.image_size : found->image_size;
}

Graph make_model(std::string_view name, const ModelOptions& options) {
  const InputSize input{options.image_size.value_or(default_image_size(name)), options.seq_len};
  if (is_gpt_spec(name)) return make_gpt(parse_gpt_spec(name), input);
  const ModelMaker make = find_model(name);
  check_image_size(input.image_size);
  try {
    return make(input);
  } catch (const UsageError& error) {
    const std::optional<int> size = next_valid_size(make, input);
    if (!size) throw;
    throw UsageError(fmt::format("{}; use --image-size {}", error.what(), *size));
  }
}

}  // namespace stash
