#include "stash/models/model_variants.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "stash/core/error.h"
#include "stash/models/families.h"

namespace stash {
namespace {

constexpr int kShallowestResNet = 10;
constexpr int kDeepestResNet = 152;
constexpr std::array kVggDepths{11, 13, 16, 19};
// A sixteenth leaves four channels; four times the width has two billion parameters.
constexpr double kNarrowest = 0.0625;
constexpr double kWidest = 4;

bool take(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

template <class Number>
std::optional<Number> take_number(std::string_view& text) {
  Number number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

int nearest_resnet_depth(int depth) {
  depth = std::clamp(depth, kShallowestResNet, kDeepestResNet);
  for (int distance = 0;; ++distance) {
    if (is_resnet_depth(depth - distance)) return depth - distance;
    if (is_resnet_depth(depth + distance)) return depth + distance;
  }
}

ModelMaker find_resnet(std::string_view name) {
  std::string_view rest = name;
  if (!take(rest, "resnet")) return {};
  const std::optional<int> depth = take_number<int>(rest);
  ResNetSize size{.depth = depth.value_or(0)};
  size.batch_norm = !take(rest, "_nobn");
  size.shortcuts = !take(rest, "_noshortcut");
  if (!depth || !rest.empty()) return {};
  if (!is_resnet_depth(size.depth)) {
    throw UsageError(
        fmt::format("there is no {}; the nearest is 'resnet{}': depths are 10, 12, 14 … 34 (blocks of two layers) and "
                    "35, 38, 41 … 152 (blocks of three)",
                    name, nearest_resnet_depth(size.depth)));
  }
  return [size](const InputSize& input) { return make_resnet(size, input); };
}

ModelMaker find_vgg(std::string_view name) {
  std::string_view rest = name;
  if (!take(rest, "vgg")) return {};
  const std::optional<int> depth = take_number<int>(rest);
  if (!depth || !take(rest, "_w")) return {};
  const std::optional<double> width = take_number<double>(rest);
  if (!width || !rest.empty()) return {};
  if (std::ranges::find(kVggDepths, *depth) == kVggDepths.end()) {
    throw UsageError(fmt::format("there is no {}: depths are 11, 13, 16 and 19", name));
  }
  if (!(*width >= kNarrowest && *width <= kWidest)) {
    throw UsageError(fmt::format("there is no {}: widths are {} to {}", name, kNarrowest, kWidest));
  }
  return [size = VggSize{*depth, *width}](const InputSize& input) { return make_vgg(size, input); };
}

}  // namespace

ModelMaker find_variant(std::string_view name) {
  ModelMaker resnet = find_resnet(name);
  return resnet ? resnet : find_vgg(name);
}

}  // namespace stash
