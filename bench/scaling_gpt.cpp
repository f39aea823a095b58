#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <random>

#include "error_table.h"
#include "stash/catalog/csv.h"
#include "stash/core/error.h"
#include "stash/core/file.h"
#include "stash/core/least_squares.h"
#include "stash/models/models.h"
#include "stash/predict/work.h"

// Fits what an A100 reaches in fp16 to published steps of GPT under data parallelism, and says how well steps that the
// fit has not seen are predicted from the model alone.

namespace stash::bench {
namespace {

constexpr std::size_t kFileLimit = 16 << 20;

struct GptStep {
  int gpus = 0;
  int global_batch = 0;
  int micro_batch = 0;
  int hidden = 0;
  int heads = 0;
  int layers = 0;
  int seq_len = 0;
  int tensor_parallel = 0;
  int pipeline_parallel = 0;
  double step_s = 0;

  int accumulation() const { return global_batch / (micro_batch * gpus); }
  std::string model() const {
    return fmt::format("gpt:layers={},hidden={},heads={},seq={}", layers, hidden, heads, seq_len);
  }
};

std::vector<GptStep> read_gpt_steps(const std::string& file) {
  const CsvTable table = parse_csv(read_file(file, kFileLimit), file);
  const auto field = [&](const CsvRow& row, std::string_view name) {
    const auto found = std::ranges::find(table.header, name);
    if (found == table.header.end()) throw Error(fmt::format("{} has no column '{}'", file, name));
    return std::stod(row.fields[static_cast<std::size_t>(found - table.header.begin())]);
  };
  const auto whole = [&](const CsvRow& row, std::string_view name) { return static_cast<int>(field(row, name)); };
  std::vector<GptStep> steps;
  for (const CsvRow& row : table.rows) {
    GptStep step{whole(row, "gpus"),          whole(row, "global_batch"),    whole(row, "micro_batch"),
                 whole(row, "hidden"),        whole(row, "heads"),           whole(row, "layers"),
                 whole(row, "seq_len"),       whole(row, "tensor_parallel"), whole(row, "pipeline_parallel"),
                 field(row, "step_ms") * 1e-3};
    if (step.tensor_parallel == 1 && step.pipeline_parallel == 1) steps.push_back(step);
  }
  return steps;
}

// A ring over `bytes_per_s` in each direction, after the last backward pass: in these rows what a step has beside its
// micro-batches does not depend on their length, so nothing of it is hidden behind them.
double all_reduce_s(double bytes, int gpus, double bytes_per_s) { return bytes * 2 * (gpus - 1) / gpus / bytes_per_s; }

constexpr std::array<double Efficiency::*, 6> kFitted{&Efficiency::tensor_matrix_ratio, &Efficiency::memory_ratio,
                                                      &Efficiency::loss_ratio,          &Efficiency::product_start_s,
                                                      &Efficiency::other_start_s,       &Efficiency::launch_s};
constexpr std::array<double, kFitted.size() + 1> kPrior{0.65, 0.85, 0.10, 15e-6, 10e-6, 30e-6, 235e9};
constexpr std::array<double, kFitted.size() + 1> kPriorSpread{0.3, 0.07, 1, 0.5, 0.5, 0.5, 0.02};
constexpr double kResidualSpread = 0.03;
constexpr double kGradientBytes = 2;

struct Coefficients {
  Efficiency efficiency;
  double link_bytes_per_s = 0;
};

Coefficients coefficients_of(const Vector& logs) {
  Coefficients result{efficiency_of(Generation::ampere), std::exp(logs.back())};
  for (std::size_t i = 0; i < kFitted.size(); ++i) result.efficiency.*kFitted[i] = std::exp(logs[i]);
  return result;
}

const Graph& graph_of(const GptStep& step) {
  static std::map<std::string, Graph> graphs;
  const auto [found, is_new] = graphs.try_emplace(step.model());
  if (is_new) found->second = make_model(step.model());
  return found->second;
}

double predicted_s(const GptStep& step, const Coefficients& with) {
  const Graph& graph = graph_of(step);
  const StepSum sum =
      sum_of(step_time(graph, step.micro_batch, DType::fp16, find_gpu("A100"), with.efficiency, Optimizer::adam));
  const double gradient_bytes = static_cast<double>(graph.parameter_count()) * kGradientBytes;
  return step.accumulation() * joined_s(sum.passes) + joined_s(sum.optimizer) +
         all_reduce_s(gradient_bytes, step.gpus, with.link_bytes_per_s);
}

Vector prior_logs() {
  Vector logs;
  for (double value : kPrior) logs.push_back(std::log(value));
  return logs;
}

Coefficients fit(const std::vector<GptStep>& steps) {
  const Vector prior = prior_logs();
  const auto residuals = [&](const Vector& logs) {
    const Coefficients with = coefficients_of(logs);
    Vector result;
    for (const GptStep& step : steps)
      result.push_back(std::log(predicted_s(step, with) / step.step_s) / kResidualSpread);
    for (std::size_t i = 0; i < logs.size(); ++i) result.push_back((logs[i] - prior[i]) / kPriorSpread[i]);
    return result;
  };
  return coefficients_of(least_squares(residuals, prior));
}

void print(const ErrorTable& errors) {
  for (const auto& [group, values] : errors.groups()) {
    fmt::print("  {:<24} {:>4} {:>6.2f} {:>6.2f} {:>6.2f} {:>6.2f}\n", group, values.size(), 100 * errors.mean(group),
               100 * errors.quantile(group, 0.5), 100 * errors.quantile(group, 0.95), 100 * errors.quantile(group, 1));
  }
}

void cross_validate(const std::vector<GptStep>& steps, const char* what,
                    const std::function<std::string(std::size_t)>& key) {
  std::map<std::string, std::vector<std::size_t>> groups;
  for (std::size_t i = 0; i < steps.size(); ++i) groups[key(i)].push_back(i);
  ErrorTable errors;
  for (const auto& [left_out, members] : groups) {
    std::vector<GptStep> train;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      if (key(i) != left_out) train.push_back(steps[i]);
    }
    const Coefficients with = fit(train);
    for (std::size_t i : members) {
      errors.add(left_out, predicted_s(steps[i], with), steps[i].step_s);
      errors.add("all", predicted_s(steps[i], with), steps[i].step_s);
    }
  }
  fmt::print("{} left out at a time: rows, error in %: mean, median, 95th, largest\n", what);
  print(errors);
}

std::vector<int> random_folds(std::size_t count) {
  constexpr unsigned kSeed = 1;
  constexpr int kFolds = 10;
  std::vector<int> folds(count);
  for (std::size_t i = 0; i < count; ++i) folds[i] = static_cast<int>(i % kFolds);
  std::mt19937 random(kSeed);
  for (std::size_t i = count; i-- > 1;) std::swap(folds[i], folds[random() % (i + 1)]);
  return folds;
}

void print_fit(const std::vector<GptStep>& steps) {
  const Coefficients with = fit(steps);
  const Efficiency& e = with.efficiency;
  fmt::print(
      "Fitted to all rows, for efficiency.cpp: tensor matrix {:.3f} memory {:.3f} loss {:.3f} starts {:.1f} and {:.1f} "
      "us, "
      "launch {:.1f} us; ring {:.0f} GB/s\n",
      e.tensor_matrix_ratio, e.memory_ratio, e.loss_ratio, e.product_start_s * 1e6, e.other_start_s * 1e6,
      e.launch_s * 1e6, with.link_bytes_per_s * 1e-9);
}

void check_committed(const std::vector<GptStep>& steps) {
  const Coefficients with{efficiency_of(Generation::ampere), kPrior.back()};
  ErrorTable errors;
  for (const GptStep& step : steps) errors.add("committed", predicted_s(step, with), step.step_s);
  fmt::print("With the figures of efficiency.cpp, nothing left out\n");
  print(errors);
}

}  // namespace
}  // namespace stash::bench

int main(int argc, char** argv) {
  using namespace stash::bench;
  CLI::App app("Steps of GPT on A100 under data parallelism, from the model alone");
  std::string data = "data/gpt_step_times_a100_single_node.csv";
  app.add_option("--data", data, "Measured steps")->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  const std::vector<GptStep> steps = read_gpt_steps(data);
  const std::vector<int> folds = random_folds(steps.size());
  cross_validate(steps, "A tenth at random", [&](std::size_t i) { return fmt::format("fold {}", folds[i]); });
  cross_validate(steps, "A hidden size and number of layers",
                 [&](std::size_t i) { return fmt::format("hidden {} layers {}", steps[i].hidden, steps[i].layers); });
  cross_validate(steps, "A number of GPUs", [&](std::size_t i) { return fmt::format("gpus {}", steps[i].gpus); });
  cross_validate(steps, "A hidden size", [&](std::size_t i) { return fmt::format("hidden {}", steps[i].hidden); });
  cross_validate(steps, "A micro-batch",
                 [&](std::size_t i) { return fmt::format("micro-batch {}", steps[i].micro_batch); });
  print_fit(steps);
  check_committed(steps);
  return 0;
}
