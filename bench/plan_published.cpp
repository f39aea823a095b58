#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <cmath>

#include "stash/models/models.h"
#include "stash/plan/layer_plan.h"

// The published comparison of AccPar on an array of TPU-v2 and TPU-v3: speed over data parallelism, by network and as
// geometric means, for several smallest ratios.

namespace stash::bench {
namespace {

constexpr std::array kNetworks{"alexnet", "vgg11", "vgg13", "vgg16", "vgg19", "resnet18", "resnet34", "resnet50"};
constexpr std::array kSmallest{0.3, 0.25, 0.2, 0.15, 0.1, 0.05, 0.02, 0.01};
constexpr double kForwardAndBackward = 3;  // passes: forward, input gradient, weight gradient

DeviceKind array_of(const char* name, int devices, double ops_per_s, double bytes_per_s) {
  DeviceKind kind{.name = name, .nodes = 1, .per_node = devices};
  kind.link_bytes_per_s = kind.network_bytes_per_s = bytes_per_s;
  kind.optimizer_s = ops_per_s;  // replaced below
  return kind;
}

void set_times(DeviceKind& kind, const SplitNetwork& network, const Graph& graph, double batch, double ops_per_s) {
  kind.layer_s.clear();
  kind.optimizer_s = 0;
  for (const SplitLayer& layer : network.layers) {
    double ops = 0;
    for (int member : layer.members) ops += graph.layers[static_cast<std::size_t>(member)].cost.forward_ops;
    kind.layer_s.push_back(kForwardAndBackward * ops * batch / ops_per_s);
  }
}

struct Speeds {
  double owt = 0, hypar = 0, fast_only = 0, data_best_ratio = 0, accpar = 0;
};

struct Setup {
  int devices = 64;
  double batch = 512;
  double link = 1e9;  // of a TPU-v2; a TPU-v3 has twice that
};

Speeds speeds_of(const char* model, double smallest, const Setup& setup) {
  const Graph graph = make_model(model);
  const SplitNetwork network = split_network(graph);
  std::vector<DeviceKind> kinds{array_of("TPUv2", setup.devices, 0, setup.link),
                                array_of("TPUv3", setup.devices, 0, 2 * setup.link)};
  set_times(kinds[0], network, graph, setup.batch, 180e12);
  set_times(kinds[1], network, graph, setup.batch, 420e12);
  LayerPlanRules rules{
      .batch = setup.batch, .element_bytes = 2, .smallest_ratio = smallest, .overlaps = false, .whole_units = false};
  const LayerPlans plans = plan_with_baselines(network, kinds, rules);
  const double data = plans.data.step_s;
  return {data / plans.owt.step_s, data / plans.hypar.step_s, data / plans.fast_only->step_s,
          data / plans.data_best_ratio.step_s, data / plans.best.step_s};
}

void print_row(const std::string& name, const Speeds& s) {
  fmt::print("{:<10} {:>6.2f} {:>6.2f} {:>10.2f} {:>10.2f} {:>7.2f}\n", name, s.owt, s.hypar, s.data_best_ratio,
             s.fast_only, s.accpar);
}

Speeds print_networks(double smallest, const Setup& setup, bool all) {
  Speeds mean;
  for (const char* model : kNetworks) {
    const Speeds s = speeds_of(model, smallest, setup);
    if (all) print_row(model, s);
    mean.owt += std::log(s.owt) / kNetworks.size();
    mean.hypar += std::log(s.hypar) / kNetworks.size();
    mean.fast_only += std::log(s.fast_only) / kNetworks.size();
    mean.data_best_ratio += std::log(s.data_best_ratio) / kNetworks.size();
    mean.accpar += std::log(s.accpar) / kNetworks.size();
  }
  return {std::exp(mean.owt), std::exp(mean.hypar), std::exp(mean.fast_only), std::exp(mean.data_best_ratio),
          std::exp(mean.accpar)};
}

}  // namespace
}  // namespace stash::bench

int main(int argc, char** argv) {
  using namespace stash::bench;
  CLI::App app("The published comparison of AccPar");
  Setup setup;
  app.add_option("--devices", setup.devices, "Devices of each kind")->capture_default_str();
  app.add_option("--batch", setup.batch, "Samples per step")->capture_default_str();
  app.add_option("--link", setup.link, "Bytes per second of a TPU-v2's link")->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  fmt::print("times as fast as data parallelism with equal parts\n");
  fmt::print("{:<10} {:>6} {:>6} {:>10} {:>10} {:>7}\n", "network", "OWT", "HyPar", "data,ratio", "fast half",
             "AccPar");
  print_row("mean", print_networks(0.05, setup, true));
  fmt::print("published  {:>6.2f} {:>6.2f} {:>10} {:>10} {:>7.2f}\n\nby the smallest ratio allowed, means\n", 2.98,
             3.78, "", "", 6.30);
  for (double smallest : kSmallest) print_row(fmt::format("{}", smallest), print_networks(smallest, setup, false));
  return 0;
}
