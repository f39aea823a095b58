#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <cmath>
#include <filesystem>
#include <functional>
#include <set>

#include "cnn_steps.h"
#include "error_table.h"
#include "stash/core/least_squares.h"
#include "stash/models/models.h"
#include "stash/predict/unpooled.h"
#include "stash/predict/work.h"

// Fits what each GPU reaches to published step times, and says how well a step on one GPU gives the step on another for
// networks, image sizes and batches that the fit has not seen.

namespace stash::bench {
namespace {

constexpr std::array kGpus{"K80", "M60", "T4", "V100"};
constexpr std::array<double Efficiency::*, 11> kFitted{&Efficiency::winograd_ratio,
                                                       &Efficiency::conv_ratio,
                                                       &Efficiency::matrix_ratio,
                                                       &Efficiency::memory_ratio,
                                                       &Efficiency::product_start_s,
                                                       &Efficiency::other_start_s,
                                                       &Efficiency::launch_s,
                                                       &Efficiency::reach_s,
                                                       &Efficiency::tensorflow_depthwise_ratio,
                                                       &Efficiency::tensorflow_depthwise_weight_ratio,
                                                       &Efficiency::small_tensorflow_depthwise_weight_ratio};

// Where the fit starts and what it is drawn to, from what such chips are known to reach; and how strongly, as the
// spread of the logarithm: memory is well known, the tail of a product is not. Starts are held near what an empty
// kernel takes, so that the tails of large products do not pass for starts of small ones.
constexpr std::array<std::array<double, kFitted.size()>, kGpus.size()> kPrior{{
    {0.94, 0.41, 0.60, 0.65, 60e-6, 30e-6, 50e-6, 150e-6, 0.02, 0.003, 0.003},
    {1.50, 0.60, 0.90, 0.78, 30e-6, 20e-6, 40e-6, 80e-6, 0.02, 0.003, 0.003},
    {1.30, 0.50, 0.70, 0.78, 20e-6, 10e-6, 20e-6, 50e-6, 0.02, 0.003, 0.003},
    {2.00, 0.60, 0.74, 0.88, 10e-6, 6e-6, 50e-6, 20e-6, 0.02, 0.003, 0.003},
}};
constexpr std::array<double, kFitted.size()> kPriorSpread{0.3, 0.3, 0.3, 0.07, 0.2, 0.2, 0.2, 0.5, 0.3, 0.3, 0.01};

constexpr double kResidualSpread = 0.1;  // of the logarithm of a step
constexpr double kOutlier = 0.15;        // beyond this a residual counts linearly
constexpr double kOwnWeight = 0.3;       // of a step from the model alone, beside steps from another GPU
constexpr double kUnlike = 1.0;          // logarithm; beyond this the network is not the one of that name here

double bounded(double residual) {
  const double size = kOutlier * std::sqrt(2 * (std::sqrt(1 + std::pow(residual / kOutlier, 2)) - 1));
  return std::copysign(size, residual) / kResidualSpread;
}

struct Case {
  CnnStep step;
  Graph here;      // as torchvision builds it
  Graph measured;  // as Keras does
};

using Rates = std::array<Efficiency, kGpus.size()>;
using Sums = std::array<StepSum, kGpus.size()>;

Rates rates_of(const Vector& logs) {
  Rates rates;
  for (std::size_t g = 0; g < kGpus.size(); ++g) {
    rates[g] = efficiency_of(find_gpu(kGpus[g]).generation);
    for (std::size_t i = 0; i < kFitted.size(); ++i) rates[g].*kFitted[i] = std::exp(logs[g * kFitted.size() + i]);
    rates[g].norm_ratio = rates[g].pool_ratio = rates[g].memory_ratio;  // the rows do not tell them apart
    rates[g].update_launch_s = rates[g].launch_s;                       // TensorFlow updates each tensor by itself
  }
  return rates;
}

Sums sums_of(const Graph& graph, int batch, const Rates& rates, Optimizer optimizer) {
  Sums sums;
  for (std::size_t g = 0; g < kGpus.size(); ++g) {
    sums[g] = sum_of(step_time(graph, batch, DType::fp32, find_gpu(kGpus[g]), rates[g], optimizer));
  }
  return sums;
}

Sums reference_sums(const Rates& rates) {
  static const Graph graph = make_model("vgg16", {.image_size = 128});
  return sums_of(graph, 64, rates, Optimizer::momentum);
}

double transferred_s(const Sums& sums, const Sums& reference, std::size_t from, std::size_t to, double measured_s) {
  const double ratio = reference[to].passes.gpu_s / reference[from].passes.gpu_s;
  const WorkRatios ratios = ratios_of(sums[from], measured_s);
  return seconds_of(with_ratios(sums[to], carried(ratios, sums[from], sums[to], ratio)));
}

// Calls with every pair of GPUs that both have the step: from, to, and their measured times.
void for_pairs(const CnnStep& step, const std::function<void(std::size_t, std::size_t, double, double)>& call) {
  for (std::size_t from = 0; from < kGpus.size(); ++from) {
    for (std::size_t to = 0; to < kGpus.size(); ++to) {
      if (from == to || !step.step_s.contains(kGpus[from]) || !step.step_s.contains(kGpus[to])) continue;
      call(from, to, step.step_s.at(kGpus[from]), step.step_s.at(kGpus[to]));
    }
  }
}

Vector prior_logs() {
  Vector logs;
  for (const auto& gpu : kPrior) {
    for (double value : gpu) logs.push_back(std::log(value));
  }
  return logs;
}

Vector residuals(const std::vector<const Case*>& cases, const Vector& logs) {
  const Rates rates = rates_of(logs);
  const Sums reference = reference_sums(rates);
  const Vector prior = prior_logs();
  Vector result;
  for (const Case* one : cases) {
    const Sums sums = sums_of(one->measured, one->step.batch, rates, Optimizer::sgd);
    for_pairs(one->step, [&](std::size_t from, std::size_t to, double from_s, double to_s) {
      result.push_back(bounded(std::log(transferred_s(sums, reference, from, to, from_s) / to_s)));
    });
    for (std::size_t g = 0; g < kGpus.size(); ++g) {
      const auto found = one->step.step_s.find(kGpus[g]);
      if (found == one->step.step_s.end()) continue;
      const double off = std::log(seconds_of(sums[g]) / found->second);
      result.push_back(kOwnWeight * (std::abs(off) < kUnlike ? off : kUnlike) / kResidualSpread);
    }
  }
  for (std::size_t i = 0; i < logs.size(); ++i) {
    result.push_back((logs[i] - prior[i]) / kPriorSpread[i % kFitted.size()]);
  }
  return result;
}

Vector fit(const std::vector<const Case*>& cases) {
  return least_squares([&](const Vector& logs) { return residuals(cases, logs); }, prior_logs());
}

struct Errors {
  ErrorTable stash;
  ErrorTable peak;
  ErrorTable memory;
  ErrorTable alone;

  void add(const Case& one, const Rates& rates, const std::string& left_out) {
    constexpr Optimizer kUpdate = Optimizer::momentum;
    const Sums alone_s = sums_of(one.measured, one.step.batch, rates, kUpdate);
    const Sums reference = reference_sums(rates);
    for_pairs(one.step, [&](std::size_t from, std::size_t to, double from_s, double to_s) {
      const Gpu& a = find_gpu(kGpus[from]);
      const Gpu& b = find_gpu(kGpus[to]);
      const auto on_first = [&](const Graph& graph) { return sums_of(graph, one.step.batch, rates, kUpdate)[from]; };
      const Sums sums = sums_of(as_measured(one.here, on_first, from_s).graph, one.step.batch, rates, kUpdate);
      const bool busy = sums[from].passes.gpu_s > sums[from].passes.host_s;
      for (const std::string& group : {std::string("all"), left_out, fmt::format("{} to {}", a.name, b.name),
                                       std::string(busy ? "from a busy GPU" : "from launches")}) {
        stash.add(group, transferred_s(sums, reference, from, to, from_s), to_s);
        peak.add(group, from_s * a.fp32_ops_per_s / b.fp32_ops_per_s, to_s);
        memory.add(group, from_s * a.memory_bytes_per_s / b.memory_bytes_per_s, to_s);
      }
    });
    for (std::size_t g = 0; g < kGpus.size(); ++g) {
      const auto found = one.step.step_s.find(kGpus[g]);
      if (found == one.step.step_s.end()) continue;
      for (const std::string& group : {std::string("all"), left_out}) {
        alone.add(group, seconds_of(alone_s[g]), found->second);
      }
    }
  }

  void print() const {
    fmt::print("{:<16} {:>6} {:>7} {:>7} {:>7} {:>16} {:>16}\n", "%", "pairs", "mean", "median", "95th",
               "peak mean 95th", "memory mean 95th");
    for (const auto& [group, errors] : stash.groups()) {
      fmt::print("{:<16} {:>6} {:>7.1f} {:>7.1f} {:>7.1f} {:>8.1f} {:>7.1f} {:>8.1f} {:>7.1f}\n", group, errors.size(),
                 100 * stash.mean(group), 100 * stash.quantile(group, 0.5), 100 * stash.quantile(group, 0.95),
                 100 * peak.mean(group), 100 * peak.quantile(group, 0.95), 100 * memory.mean(group),
                 100 * memory.quantile(group, 0.95));
    }
    fmt::print("from the model alone, median and 95th:");
    for (const auto& [group, errors] : alone.groups()) {
      fmt::print(" {} {:.0f} {:.0f};", group, 100 * alone.quantile(group, 0.5), 100 * alone.quantile(group, 0.95));
    }
    fmt::print("\n\n");
  }
};

void cross_validate(const std::vector<Case>& cases, const char* what,
                    const std::function<std::string(const CnnStep&)>& key) {
  std::set<std::string> keys;
  for (const Case& one : cases) keys.insert(key(one.step));
  Errors errors;
  for (const std::string& left_out : keys) {
    std::vector<const Case*> train;
    for (const Case& one : cases) {
      if (key(one.step) != left_out) train.push_back(&one);
    }
    const Rates rates = rates_of(fit(train));
    for (const Case& one : cases) {
      if (key(one.step) == left_out) errors.add(one, rates, left_out);
    }
  }
  fmt::print("One {} left out at a time; errors of steps from another GPU's step\n", what);
  errors.print();
}

void print_fit(const std::vector<Case>& cases) {
  std::vector<const Case*> all;
  for (const Case& one : cases) all.push_back(&one);
  const Rates rates = rates_of(fit(all));
  fmt::print("Fitted to all rows, for efficiency.cpp\n");
  for (std::size_t g = 0; g < kGpus.size(); ++g) {
    const Efficiency& e = rates[g];
    fmt::print(
        "{:<5} winograd {:.3f} conv {:.3f} matrix {:.3f} memory {:.3f} starts {:.0f} and {:.0f} us, launch {:.0f} us, "
        "reach {:.0f} us, depthwise {:.4f} and {:.4f}\n",
        kGpus[g], e.winograd_ratio, e.conv_ratio, e.matrix_ratio, e.memory_ratio, e.product_start_s * 1e6,
        e.other_start_s * 1e6, e.launch_s * 1e6, e.reach_s * 1e6, e.tensorflow_depthwise_ratio,
        e.tensorflow_depthwise_weight_ratio);
  }
  fmt::print("\n");
}

void check_committed(const std::vector<Case>& cases) {
  Rates rates;
  for (std::size_t g = 0; g < kGpus.size(); ++g) rates[g] = efficiency_of(find_gpu(kGpus[g]).generation);
  Errors errors;
  for (const Case& one : cases) errors.add(one, rates, one.step.model);
  fmt::print("With the figures of efficiency.cpp, nothing left out\n");
  errors.print();
}

}  // namespace
}  // namespace stash::bench

int main(int argc, char** argv) {
  using namespace stash::bench;
  CLI::App app("Steps on one GPU from steps on another");
  std::string data = "data/cnn_step_times_aws.csv";
  app.add_option("--data", data, "Measured steps")->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  std::vector<Case> cases;
  for (const CnnStep& step : read_cnn_steps(data)) cases.push_back({step, graph_here(step), graph_measured(step)});
  cross_validate(cases, "model", [](const CnnStep& step) { return step.model; });
  cross_validate(cases, "image size", [](const CnnStep& step) { return fmt::format("{} px", step.image_size); });
  cross_validate(cases, "batch", [](const CnnStep& step) { return fmt::format("batch {}", step.batch); });
  print_fit(cases);
  check_committed(cases);
  return 0;
}
