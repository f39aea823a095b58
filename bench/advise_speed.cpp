// How long it takes to try every machine of the catalogue: predictions of 1 to 16 nodes each, and the advice.
//
//   build/release/bench/advise_speed [--catalogue FOLDER] [--cloud aws]
//
// FOLDER is where `stash catalog import` wrote; without it the built-in rows are tried.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <vector>

#include "stash/advise/advise.h"
#include "stash/catalog/instances.h"
#include "stash/catalog/user_catalogue.h"
#include "stash/core/clock.h"
#include "stash/core/statistics.h"
#include "stash/models/models.h"
#include "stash/predict/predict.h"

namespace {

using namespace stash;

constexpr int kMostNodes = 16;
constexpr int kRepeats = 15;

struct Times {
  std::vector<double> read_ms, predict_ms, advise_ms, all_ms;
};

double ms_since(std::int64_t start_ns) { return seconds(now_ns() - start_ns) * 1e3; }

PredictJob example_job() {
  PredictJob job;
  job.graph = make_model("resnet50");
  job.batch = 64;
  job.samples = 1'281'167;
  job.sample = SampleCost{.storage_bytes = 110e3, .cpu_s = 1e-3};
  return job;
}

void print_row(const char* name, const std::vector<double>& values) {
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  fmt::print("{:<24}{:>10.1f}{:>10.1f}{:>10.1f}\n", name, median(values), *low, *high);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("How long advice takes");
  std::string folder, cloud;
  app.add_option("--catalogue", folder, "Folder of imported rows");
  app.add_option("--cloud", cloud, "Only machines of this cloud");
  CLI11_PARSE(app, argc, argv);
  Times times;
  std::size_t machines = 0, predictions = 0;
  for (int repeat = 0; repeat < kRepeats; ++repeat) {
    const std::int64_t start_ns = now_ns();
    Catalogue catalogue = folder.empty() ? read_catalogue() : read_catalogue(folder);
    std::erase_if(catalogue.instances, [&](const Instance& i) {
      return i.gpus == 0 || !is_for_rent(i) || (!cloud.empty() && i.cloud != cloud);
    });
    times.read_ms.push_back(ms_since(start_ns));
    const std::int64_t predict_ns = now_ns();
    Predictor predictor(example_job());
    Predictions all = predict_all(predictor, catalogue.instances, kMostNodes);
    times.predict_ms.push_back(ms_since(predict_ns));
    machines = catalogue.instances.size();
    predictions = all.predictions.size();
    const std::int64_t advise_ns = now_ns();
    const Advice advice =
        advise({.epochs = 90, .samples = 1'281'167, .deadline_s = 86400.0, .budget_usd = {}}, std::move(all));
    times.advise_ms.push_back(ms_since(advise_ns));
    times.all_ms.push_back(ms_since(start_ns));
  }
  fmt::print("{} machines, {} predictions\n{:<24}{:>10}{:>10}{:>10}\n", machines, predictions, "ms", "median", "least",
             "most");
  print_row("reading the catalogue", times.read_ms);
  print_row("predicting", times.predict_ms);
  print_row("advising", times.advise_ms);
  print_row("all", times.all_ms);
  return 0;
}
