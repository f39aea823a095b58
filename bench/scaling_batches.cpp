#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <map>
#include <tuple>

#include "cnn_steps.h"
#include "error_table.h"
#include "stash/predict/roofline_times.h"

// How well a step with one batch gives the step of the same network on the same GPU with another batch. AlexNet is left
// out: the network that was measured under this name has several times the work of torchvision's (docs/scaling.md).

namespace stash::bench {
namespace {

// Steps of one network, size and GPU, by batch.
using Batches = std::map<int, double>;
using Groups = std::map<std::tuple<std::string, int, std::string>, Batches>;

Groups grouped(const std::vector<CnnStep>& steps) {
  Groups groups;
  for (const CnnStep& step : steps) {
    for (const auto& [gpu, s] : step.step_s) groups[{step.model, step.image_size, gpu}][step.batch] = s;
  }
  return groups;
}

struct Tables {
  ErrorTable stash;
  ErrorTable in_proportion;

  void add(const std::string& group, double predicted_s, double proportional_s, double measured_s) {
    stash.add(group, predicted_s, measured_s);
    in_proportion.add(group, proportional_s, measured_s);
  }

  void print() const {
    fmt::print("{:<16} {:>6} {:>7} {:>7} {:>7} {:>20}\n", "%", "pairs", "mean", "median", "95th",
               "in proportion, mean");
    for (const auto& [group, errors] : stash.groups()) {
      fmt::print("{:<16} {:>6} {:>7.1f} {:>7.1f} {:>7.1f} {:>20.1f}\n", group, errors.size(), 100 * stash.mean(group),
                 100 * stash.quantile(group, 0.5), 100 * stash.quantile(group, 0.95), 100 * in_proportion.mean(group));
    }
  }
};

void add_pairs(const std::string& model, int size, const std::string& gpu_name, const Batches& batches,
               Tables& tables) {
  const Gpu& gpu = find_gpu(gpu_name);
  const Graph graph = graph_here({.model = model, .image_size = size, .batch = 1, .step_s = {}});
  for (const auto& [from, from_s] : batches) {
    const StepSum sum = sum_of(step_on(graph, from, DType::fp32, gpu));
    const bool busy = sum.passes.gpu_s > sum.passes.host_s;
    for (const auto& [to, to_s] : batches) {
      if (from == to) continue;
      const StepOnGpu measured{.gpu = &gpu, .step_s = from_s, .batch = from, .dtype = DType::fp32};
      const double predicted_s = scaled_times(graph, measured, to, DType::fp32, gpu).compute_s();
      for (const std::string& group :
           {std::string("all"), model, gpu_name, std::string(busy ? "from a busy GPU" : "from launches"),
            fmt::format("{} times", to > from ? fmt::format("{}", to / from) : fmt::format("1/{}", from / to))}) {
        tables.add(group, predicted_s, from_s * to / from, to_s);
      }
    }
  }
}

}  // namespace
}  // namespace stash::bench

int main(int argc, char** argv) {
  using namespace stash::bench;
  CLI::App app("Steps with one batch from steps with another");
  std::string data = "data/cnn_step_times_aws.csv";
  app.add_option("--data", data, "Measured steps")->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  Tables tables;
  for (const auto& [key, batches] : grouped(read_cnn_steps(data))) {
    const auto& [model, size, gpu] = key;
    if (model == "alexnet") continue;
    add_pairs(model, size, gpu, batches, tables);
  }
  tables.print();
  return 0;
}
