#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <cmath>
#include <filesystem>
#include <set>

#include "error_table.h"
#include "stash/catalog/csv.h"
#include "stash/core/error.h"
#include "stash/core/file.h"
#include "stash/core/least_squares.h"
#include "stash/models/models.h"
#include "stash/predict/scaling.h"
#include "stash/predict/work.h"

// The compute of a training step on an H200 from the model alone, beside what was measured there (data/h200_steps.csv;
// bench/h200_compute.py measures more). With --fit, the coefficients of efficiency.cpp that explain the steps best, and
// the errors with each model left out of that fit.

namespace stash::bench {
namespace {

constexpr std::size_t kMostBytes = 16 << 20;
constexpr double kResidualSpread = 0.08;  // of the logarithm of a step
constexpr double kUnsaidSpread = 0.005;   // of a measurement that says no interval: sources know theirs within 1 %
constexpr double kOutlier = 0.15;         // beyond this a residual counts linearly

// What is fitted, from where it is in the program now, and how strongly it is drawn there: the spread of the logarithm.
struct Fitted {
  std::string_view name;
  double Efficiency::* value;
  double spread;
};
constexpr std::array kFitted{
    Fitted{"winograd", &Efficiency::winograd_ratio, 0.3},
    Fitted{"conv", &Efficiency::conv_ratio, 0.3},
    Fitted{"matrix", &Efficiency::matrix_ratio, 0.3},
    Fitted{"tensor conv", &Efficiency::tensor_conv_ratio, 0.3},
    Fitted{"tensor matrix", &Efficiency::tensor_matrix_ratio, 0.3},
    Fitted{"depthwise", &Efficiency::depthwise_ratio, 0.5},
    Fitted{"depthwise weights", &Efficiency::depthwise_weight_ratio, 0.5},
    Fitted{"memory", &Efficiency::memory_ratio, 0.1},
    Fitted{"norm", &Efficiency::norm_ratio, 0.2},
    Fitted{"pool", &Efficiency::pool_ratio, 0.5},
    Fitted{"loss", &Efficiency::loss_ratio, 0.5},
    Fitted{"product start", &Efficiency::product_start_s, 0.3},
    Fitted{"other start", &Efficiency::other_start_s, 0.3},
    Fitted{"reach", &Efficiency::reach_s, 0.5},
    Fitted{"launch", &Efficiency::launch_s, 0.2},
    Fitted{"update launch", &Efficiency::update_launch_s, 0.3},
};

struct MeasuredStep {
  Graph graph;
  int batch = 0;
  DType dtype = DType::fp32;
  double compute_s = 0;
  double low_s = 0, high_s = 0;  // what it was measured to be

  double spread() const { return std::log(high_s / low_s) / 3.92; }
};

std::size_t column_of(const CsvTable& table, std::string_view name) {
  const auto found = std::ranges::find(table.header, name);
  if (found == table.header.end()) throw Error(fmt::format("the file has no column '{}'", name));
  return static_cast<std::size_t>(found - table.header.begin());
}

std::vector<MeasuredStep> read_steps(const std::filesystem::path& file) {
  const CsvTable table = parse_csv(read_file(file, kMostBytes), file.string());
  const std::size_t model = column_of(table, "model"), batch = column_of(table, "batch");
  const std::size_t dtype = column_of(table, "dtype"), compute = column_of(table, "compute_s");
  const std::size_t low = column_of(table, "low_s"), high = column_of(table, "high_s");
  std::vector<MeasuredStep> steps;
  for (const CsvRow& row : table.rows) {
    const double s = std::stod(row.fields[compute]);
    const bool says = !row.fields[low].empty() && !row.fields[high].empty();
    const double half = std::exp(1.96 * kUnsaidSpread);
    steps.push_back({make_model(row.fields[model]), std::stoi(row.fields[batch]), parse_dtype(row.fields[dtype]), s,
                     says ? std::max(std::stod(row.fields[low]), s / 4) : s / half,
                     says ? std::stod(row.fields[high]) : s * half});
  }
  return steps;
}

void print_groups(const ErrorTable& errors) {
  for (const auto& [group, of_group] : errors.groups()) {
    fmt::print("{:<20} {:>3} steps, mean error {:.1f} %, worst {:.1f} %\n", group, of_group.size(),
               100 * errors.mean(group), 100 * errors.quantile(group, 1));
  }
}

void compare(const std::vector<MeasuredStep>& steps, const Gpu& gpu) {
  ErrorTable errors;
  std::size_t covered = 0;
  fmt::print("{:<20} {:>5} {:>5} {:>13} {:>13} {:>7} {:>8}\n", "model", "batch", "dtype", "measured, ms",
             "predicted, ms", "error", "interval");
  for (const MeasuredStep& step : steps) {
    const ScaledTimes times = scaled_times(step.graph, step.batch, step.dtype, gpu);
    const double predicted_s = times.compute_s();
    const bool covers = predicted_s * times.low_ratio <= step.high_s && step.low_s <= predicted_s * times.high_ratio;
    covered += covers ? 1 : 0;
    for (const std::string& group : {std::string("all"), step.graph.name, std::string(to_string(step.dtype))}) {
      errors.add(group, predicted_s, step.compute_s);
    }
    fmt::print("{:<20} {:>5} {:>5} {:>13.1f} {:>13.1f} {:>+6.1f}% {:>8}\n", step.graph.name, step.batch,
               to_string(step.dtype), step.compute_s * 1e3, predicted_s * 1e3, 100 * (predicted_s / step.compute_s - 1),
               covers ? "covers" : "misses");
  }
  fmt::print("\n");
  print_groups(errors);
  fmt::print("intervals cover {} of {} measured steps\n", covered, steps.size());
}

double estimated_s(const MeasuredStep& step, const Gpu& gpu, const Efficiency& reached) {
  return seconds_of(sum_of(step_time(step.graph, step.batch, step.dtype, gpu, reached)));
}

Efficiency reached_by(const Vector& logs, const Gpu& gpu) {
  Efficiency reached = efficiency_of(gpu.generation);
  for (std::size_t i = 0; i < kFitted.size(); ++i) reached.*kFitted[i].value *= std::exp(logs[i]);
  return reached;
}

double bounded(double residual) {
  return std::copysign(kOutlier * std::sqrt(2 * (std::hypot(1, residual / kOutlier) - 1)), residual);
}

// Logarithms of the factors on what the program has now.
Vector fit(const std::vector<const MeasuredStep*>& steps, const Gpu& gpu) {
  const auto residuals = [&](const Vector& logs) {
    const Efficiency reached = reached_by(logs, gpu);
    Vector result;
    for (const MeasuredStep* step : steps) {
      result.push_back(bounded(std::log(estimated_s(*step, gpu, reached) / step->compute_s)) /
                       std::hypot(kResidualSpread, step->spread()));
    }
    for (std::size_t i = 0; i < kFitted.size(); ++i) result.push_back(logs[i] / kFitted[i].spread);
    return result;
  };
  return least_squares(residuals, Vector(kFitted.size(), 0));
}

void refit(const std::vector<MeasuredStep>& steps, const Gpu& gpu) {
  std::vector<const MeasuredStep*> all;
  std::set<std::string> models;
  for (const MeasuredStep& step : steps) {
    all.push_back(&step);
    models.insert(step.graph.name);
  }
  const Efficiency before = efficiency_of(gpu.generation), after = reached_by(fit(all, gpu), gpu);
  fmt::print("\nFitted to all {} steps, for efficiency.cpp: before, after\n", steps.size());
  for (const Fitted& one : kFitted) {
    fmt::print("{:<20} {:>10.3g} {:>10.3g}\n", one.name, before.*one.value, after.*one.value);
  }
  ErrorTable fitted, left_out;
  for (const MeasuredStep& step : steps) {
    for (const std::string& group : {std::string("all"), std::string(to_string(step.dtype))}) {
      fitted.add(group, estimated_s(step, gpu, after), step.compute_s);
    }
  }
  for (const std::string& model : models) {
    std::vector<const MeasuredStep*> others = all;
    std::erase_if(others, [&](const MeasuredStep* step) { return step->graph.name == model; });
    const Efficiency reached = reached_by(fit(others, gpu), gpu);
    for (const MeasuredStep& step : steps) {
      if (step.graph.name != model) continue;
      for (const std::string& group : {std::string("all"), model, std::string(to_string(step.dtype))}) {
        left_out.add(group, estimated_s(step, gpu, reached), step.compute_s);
      }
    }
  }
  fmt::print("\nWith these\n");
  print_groups(fitted);
  fmt::print("\nEach model left out of the fit\n");
  print_groups(left_out);
}

}  // namespace
}  // namespace stash::bench

int main(int argc, char** argv) {
  CLI::App app("Predicted and measured compute of a step on an H200");
  std::string data = "data/h200_steps.csv";
  std::string gpu = "H200";
  bool fits = false;
  app.add_option("--data", data, "Measured steps")->capture_default_str();
  app.add_option("--gpu", gpu, "GPU that they were measured on")->capture_default_str();
  app.add_flag("--fit", fits, "Fit the coefficients of its generation again");
  CLI11_PARSE(app, argc, argv);
  const auto steps = stash::bench::read_steps(data);
  stash::bench::compare(steps, stash::find_gpu(gpu));
  if (fits) stash::bench::refit(steps, stash::find_gpu(gpu));
  return 0;
}
