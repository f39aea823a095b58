#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "stash/catalog/instances.h"
#include "stash/models/models.h"
#include "stash/plan/gpt_nodes.h"
#include "stash/plan/gpt_search.h"
#include "stash/plan/layer_plan.h"

// How long plans take to find.

namespace stash::bench {
namespace {

constexpr int kRuns = 5;

template <class Work>
void time(const char* what, double goal_s, Work work) {
  double best_s = 1e300;
  for (int i = 0; i < kRuns; ++i) {
    const auto start = std::chrono::steady_clock::now();
    work();
    best_s = std::min(best_s, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  fmt::print("{:<60} {:>8.2f} ms, goal {:g} ms\n", what, best_s * 1e3, goal_s * 1e3);
}

DeviceKind devices(const SplitNetwork& network, const char* name, int nodes, int per_node, double speed) {
  DeviceKind kind{.name = name, .nodes = nodes, .per_node = per_node};
  kind.link_bytes_per_s = 50e9;
  kind.network_bytes_per_s = 10e9;
  for (const SplitLayer& layer : network.layers) kind.layer_s.push_back(layer.weight * layer.output / speed);
  return kind;
}

GptNodes nodes(const char* instance, int count) { return gpt_nodes(find_instance(instance), count, 8, {}); }

}  // namespace
}  // namespace stash::bench

int main() {
  using namespace stash;
  using namespace stash::bench;
  const SplitNetwork resnet = split_network(make_model("resnet50"));
  const std::vector<DeviceKind> halves{devices(resnet, "a", 64, 1, 1e12), devices(resnet, "b", 64, 1, 2e12)};
  const std::vector<DeviceKind> equal{devices(resnet, "a", 16, 8, 1e12)};
  time("resnet50 over 128 equal devices, 7 levels", 0.01, [&] { plan_layers(resnet, equal, {.batch = 512}, {}); });
  time("resnet50 over 64 + 64 devices, 7 levels", 0.01, [&] { plan_layers(resnet, halves, {.batch = 512}, {}); });
  const std::vector<DeviceKind> many{devices(resnet, "a", 500, 8, 1e12), devices(resnet, "b", 400, 8, 2e12),
                                     devices(resnet, "c", 350, 8, 3e12)};
  time("resnet50 over 10,000 GPUs of three kinds, with baselines", 2,
       [&] { plan_with_baselines(resnet, many, {.batch = 65536}); });
  GptJob job{.size = {.name = "gpt",
                      .layers = 96,
                      .hidden = 12288,
                      .heads = 96,
                      .max_seq_len = 2048,
                      .vocabulary = 50257,
                      .fused_attention = false},
             .global_batch = 1536,
             .dtype = DType::bf16,
             .kinds = {nodes("p4de.24xlarge", 128)}};
  GptPlans found;
  time("gpt of 96 layers on 1,024 GPUs, all plans", 0.2, [&] { found = search_plans(job, {}, 10); });
  fmt::print("  {} plans tried, {} splits that do not fit\n", found.tried, found.rejected.size());
  job.kinds = {nodes("p4d.24xlarge", 250), nodes("p4de.24xlarge", 500), nodes("p5.48xlarge", 500)};
  job.global_batch = 2000;
  time("gpt of 96 layers on 10,000 GPUs of three kinds, all plans", 2, [&] { found = search_plans(job, {}, 10); });
  fmt::print("  {} plans tried, {} splits that do not fit\n", found.tried, found.rejected.size());
  return 0;
}
