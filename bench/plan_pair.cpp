#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>

#include "stash/plan/layer_plan.h"

// Plans data parallelism with the best ratio between two devices whose layer times were measured: lines of JSON as
// plan_mixed_pair.py writes them in, the same with `planned_ratio`, `planned_s` and `equal_s` out. Ratios are the first
// device's share.

namespace stash::bench {
namespace {

using Json = nlohmann::ordered_json;

SplitNetwork network_of(const Json& stack) {
  SplitNetwork network{.name = stack.at("stack").get<std::string>()};
  for (const Json& layer : stack.at("layers")) {
    const int number = static_cast<int>(network.layers.size());
    SplitLayer split{.name = fmt::format("layer {}", number)};
    split.weight = layer.at("weight").get<double>();
    split.input = layer.at("input").get<double>();
    split.output = split.kept = layer.at("output").get<double>();
    if (number > 0) network.edges.push_back({number - 1, number, split.input});
    network.layers.push_back(std::move(split));
  }
  return network;
}

DeviceKind device_of(const Json& stack, const std::string& name) {
  DeviceKind kind{.name = name};
  kind.link_bytes_per_s = kind.network_bytes_per_s = stack.at("bytes_per_s").get<double>();
  for (const Json& layer : stack.at("layers")) {
    kind.layer_s.push_back(layer.at(name + "_s").get<double>());
    kind.fixed_s.push_back(layer.at(name + "_fixed_s").get<double>());
  }
  return kind;
}

// Layers of equal type and ratio have one; where they differ, what most of the computing has.
double mean_ratio(const LayerPlan& plan, const DeviceKind& kind) {
  double sum = 0, weights = 0;
  const std::vector<LayerSplit>& splits = plan.levels.front().splits;
  for (std::size_t i = 0; i < splits.size(); ++i) {
    sum += splits[i].ratio * kind.layer_s[i];
    weights += kind.layer_s[i];
  }
  return sum / weights;
}

void plan_line(const std::string& line) {
  Json stack = Json::parse(line);
  const SplitNetwork network = network_of(stack);
  const std::vector<DeviceKind> kinds{device_of(stack, "slow"), device_of(stack, "fast")};
  LayerPlanRules rules{.batch = stack.at("batch").get<double>(), .overlaps = false};
  const LayerPlan best = plan_layers(network, kinds, rules, data_types(network));
  rules.equal_halves = true;
  stack["planned_ratio"] = mean_ratio(best, kinds.front());
  stack["planned_s"] = best.step_s;
  stack["equal_s"] = plan_layers(network, kinds, rules, data_types(network)).step_s;
  fmt::print("{}\n", stack.dump());
}

}  // namespace
}  // namespace stash::bench

int main(int argc, char** argv) {
  CLI::App app("Plans the ratio between two devices of measured layer times, from lines of JSON on standard input");
  CLI11_PARSE(app, argc, argv);
  for (std::string line; std::getline(std::cin, line);) stash::bench::plan_line(line);
  return 0;
}
