// How long the simulator takes: bench/simulate_speed [--repeats N] [--model NAME].
//
// CPU time of this thread. A step event by event with a rank that is late, every rank by itself and alike ones
// together; a step with input sample by sample; and the ledger of all conditions as `advise` asks for it.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <ctime>
#include <functional>
#include <vector>

#include "stash/catalog/layer_time.h"
#include "stash/core/clock.h"
#include "stash/core/cpu_clock.h"
#include "stash/core/statistics.h"
#include "stash/models/models.h"
#include "stash/predict/simulate.h"
#include "step_events.h"

namespace {

using namespace stash;

constexpr int kBatch = 64;
constexpr int kRanksPerNode = 8;

StepJob make_job(const std::string& model) {
  const Graph graph = make_model(model);
  const Gpu& gpu = find_gpu("V100");
  StepJob job = make_step_job(graph, layer_times(graph, kBatch, DType::fp32, gpu), 25 * 1024 * 1024);
  job.optimizer_s = optimizer_time_s(graph, gpu);
  job.batch = kBatch;
  job.sample_device_bytes = 3 * 224 * 224 * 4;
  job.input = StepInput{.sample_storage_bytes = 110e3, .sample_cpu_s = 8e-3, .workers = 6, .prefetch = 2};
  return job;
}

// Like p3.16xlarge.
Cluster make_cluster(int gpus, bool late) {
  Cluster cluster;
  cluster.nodes = std::max(1, gpus / kRanksPerNode);
  cluster.ranks_per_node = std::min(gpus, kRanksPerNode);
  cluster.link_bytes_per_s = 100e9;
  cluster.link_latency_s = 5e-6;
  cluster.network_bytes_per_s = 25e9 / 8;
  cluster.network_latency_s = 30e-6;
  cluster.contention_ratio = 1.02;
  cluster.copy_bytes_per_s = 10e9;
  cluster.cores = 32;
  cluster.storage_bytes_per_s = 1e9;
  if (late) cluster.late_s[gpus / 2 + 1] = 0.01;
  return cluster;
}

struct Line {
  const char* what;
  int gpus;
  double goal_s;                      // 0: none
  std::function<std::int64_t()> run;  // returns how many events there were; 0: not counted
};

void measure(const Line& line, int repeats, bool& reached) {
  std::vector<double> times;
  std::int64_t events = 0;
  for (int i = 0; i < repeats; ++i) {
    const double start_s = seconds(thread_cpu_ns());
    int rounds = 0;  // enough that the clock's own grain does not matter
    do {
      events = line.run();
      ++rounds;
    } while (seconds(thread_cpu_ns()) - start_s < 2e-3);
    times.push_back((seconds(thread_cpu_ns()) - start_s) / rounds);
  }
  const double worst_s = *std::max_element(times.begin(), times.end());
  const double s = median(times);
  const bool met = line.goal_s == 0 || s <= line.goal_s;
  reached = reached && met;
  fmt::print("{:<52}{:>6}{:>12.4f}{:>12.4f}{:>12}{:>10.1f}{:>12}\n", line.what, line.gpus, s * 1e3, worst_s * 1e3,
             events, static_cast<double>(events) / s / 1e6,
             line.goal_s == 0 ? "" : fmt::format("{} {:g}", met ? "<=" : "OVER", line.goal_s * 1e3));
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("How long simulating a step takes");
  int repeats = 9;
  std::string model = "resnet50";
  app.add_option("--repeats", repeats, "Of each line")->capture_default_str()->check(CLI::Range(1, 1000));
  app.add_option("--model", model, "Whose layers; see stash models")->capture_default_str();
  CLI11_PARSE(app, argc, argv);

  const StepJob job = make_job(model);
  const StepShape shape = shape_of(job);
  fmt::print("{}: {} layers, {} buckets\n", model, job.layers.size(), shape.buckets.size());
  fmt::print("{:<52}{:>6}{:>12}{:>12}{:>12}{:>10}{:>12}\n", "simulated", "GPUs", "median ms", "worst ms", "events",
             "million/s", "goal ms");
  bool reached = true;
  for (const int gpus : {64, 1024}) {
    const double goal_s = gpus == 64 ? 0.010 : 0.5;
    const Cluster even = make_cluster(gpus, false), late = make_cluster(gpus, true);
    const auto step = [&](const Cluster& cluster, bool collapse) {
      return [&job, &shape, &cluster, collapse] {
        const AllReduceChoice choice = AllReduceChoice::among_all(cluster);
        const Training training{job, shape, choice, cluster.contention_ratio};
        return run_step(training, cluster, {.collapse = collapse}).events;
      };
    };
    const auto input = [&](const Cluster& cluster, bool collapse) {
      return [&job, &cluster, collapse] {
        const Consumption used{.overhead_s = 0, .last_s = 0.2, .copy_s = 4e-3};
        return run_input(job, cluster, used, {.collapse = collapse}).events;
      };
    };
    measure({"step by events, one late rank, every rank by itself", gpus, goal_s, step(late, false)}, repeats, reached);
    measure({"step by events, one late rank, alike ones together", gpus, goal_s, step(late, true)}, repeats, reached);
    measure({"step by events, all alike", gpus, goal_s, step(even, true)}, repeats, reached);
    measure({"steady state with input, one late, alike ones together", gpus, 0, input(late, true)}, repeats, reached);
    measure({"ledger, one late rank", gpus, 0, [&] { return simulate_ledger(job, late).step.s > 0 ? 0 : 1; }}, repeats,
            reached);
    measure({"ledger, all alike", gpus, 50e-6, [&] { return simulate_ledger(job, even).step.s > 0 ? 0 : 1; }}, repeats,
            reached);
  }
  fmt::print("goals: {}\n", reached ? "reached" : "missed");
  return reached ? 0 : 1;
}
