#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "error_table.h"
#include "stash/catalog/csv.h"
#include "stash/core/error.h"
#include "stash/core/file.h"
#include "stash/core/least_squares.h"
#include "stash/models/models.h"
#include "stash/serve/model/forward_time.h"
#include "stash/serve/model/inference_efficiency.h"

// How far T(b), the predicted time of a batch in inference, is from published times (data/inference_times.csv):
//
//   serving_times [--fit] [--data FILE]
//
// With --fit, the factors of inference_efficiency.h that explain the times best, and the errors where each network on
// each GPU, and each GPU altogether, is left out of the fit. Times of TensorFlow help to find what GPUs reach; what it
// takes to launch a kernel is fitted apart.

namespace stash::bench {
namespace {

constexpr std::size_t kMostTimesBytes = 16 << 20;
constexpr double kTimeSpread = 0.1;    // of the logarithm of a time
constexpr double kTimeOutlier = 0.15;  // beyond this a residual counts linearly
constexpr double kFactorSpread = 0.3;
constexpr double kLaunchSpread = 0.5;

struct PublishedTime {
  std::string model, framework;
  const Graph* graph = nullptr;  // as inference runs it
  const Gpu* gpu = nullptr;
  DType dtype = DType::fp32;
  int batch = 0;
  double s = 0;
  double weight = 1;  // times at batches of one run count less where there are many
};

struct PublishedTimes {
  std::map<std::string, Graph> graphs;
  std::vector<PublishedTime> rows;
};

// What is fitted: factors, the launches of hosts by generation, and those of TensorFlow.
constexpr std::array kFactors{&InferenceFactors::winograd,       &InferenceFactors::conv,
                              &InferenceFactors::matrix,         &InferenceFactors::tensor_conv,
                              &InferenceFactors::tf32_conv,      &InferenceFactors::tensor_matrix,
                              &InferenceFactors::depthwise,      &InferenceFactors::half_depthwise,
                              &InferenceFactors::memory,         &InferenceFactors::product_start,
                              &InferenceFactors::other_start,    &InferenceFactors::reach,
                              &InferenceFactors::volta_launch_s, &InferenceFactors::turing_launch_s,
                              &InferenceFactors::ampere_launch_s};
constexpr std::array<std::string_view, kFactors.size()> kFactorNames{
    "winograd",      "conv",      "matrix",         "tensor_conv",     "tf32_conv",
    "tensor_matrix", "depthwise", "half_depthwise", "memory",          "product_start",
    "other_start",   "reach",     "volta_launch_s", "turing_launch_s", "ampere_launch_s"};
constexpr std::size_t kLaunches = 3;  // the last of them
constexpr std::size_t kFrameworkLaunches = 4;
constexpr double kUnknownLaunch_s = 35e-6;

struct TimesFit {
  InferenceFactors factors;
  std::array<double, kFrameworkLaunches> tensorflow_launches{0.6, 0.6, 0.6, 0.6};  // of 1 and 2, in fp32 and fp16
};

double launches_of(const TimesFit& fit, const PublishedTime& row) {
  if (row.framework == "torch") return 1;
  return fit.tensorflow_launches[(row.framework == "tensorflow1" ? 0U : 2U) + (row.dtype == DType::fp32 ? 0U : 1U)];
}

double predicted_time_s(const TimesFit& fit, const PublishedTime& row) {
  Efficiency reached = inference_efficiency(row.gpu->generation, row.dtype, fit.factors);
  reached.launch_s *= launches_of(fit, row);
  return inference_time_s(*row.graph, row.batch, row.dtype, *row.gpu, reached);
}

std::string gpu_class(const PublishedTime& row) { return row.gpu->name.substr(0, row.gpu->name.find('-')); }

std::size_t times_column(const CsvTable& table, std::string_view name) {
  const auto found = std::ranges::find(table.header, name);
  if (found == table.header.end()) throw Error(fmt::format("the file has no column '{}'", name));
  return static_cast<std::size_t>(found - table.header.begin());
}

PublishedTimes read_times(const std::string& file) {
  const CsvTable table = parse_csv(read_file(file, kMostTimesBytes), file);
  const auto column = [&](std::string_view name) { return times_column(table, name); };
  const std::size_t model = column("model"), seq = column("seq_len"), framework = column("framework");
  const std::size_t gpu = column("gpu"), dtype = column("dtype"), batch = column("batch"), ms = column("latency_ms");
  PublishedTimes times;
  std::map<std::string, int> counts;
  const auto run_of = [&](const CsvRow& row) {
    return row.fields[model] + row.fields[seq] + row.fields[framework] + row.fields[gpu] + row.fields[dtype];
  };
  for (const CsvRow& row : table.rows) ++counts[run_of(row)];
  for (const CsvRow& row : table.rows) {
    const std::string name = row.fields[model] + (row.fields[seq].empty() ? "" : "/" + row.fields[seq]);
    if (!times.graphs.contains(name)) {
      const int tokens = row.fields[seq].empty() ? 0 : std::stoi(row.fields[seq]);
      times.graphs[name] = inference_graph(make_model(row.fields[model], {.seq_len = tokens}));
    }
    times.rows.push_back({.model = name,
                          .framework = row.fields[framework],
                          .graph = &times.graphs.at(name),
                          .gpu = &find_gpu(row.fields[gpu]),
                          .dtype = parse_dtype(row.fields[dtype]),
                          .batch = std::stoi(row.fields[batch]),
                          .s = std::stod(row.fields[ms]) * 1e-3,
                          .weight = 1 / std::sqrt(counts[run_of(row)])});
  }
  return times;
}

double linear_beyond(double residual) {
  return std::copysign(kTimeOutlier * std::sqrt(2 * (std::hypot(1, residual / kTimeOutlier) - 1)), residual);
}

TimesFit fit_of(const Vector& logs) {
  TimesFit fit;
  for (std::size_t i = 0; i < kFactors.size(); ++i) {
    const bool is_launch = i + kLaunches >= kFactors.size();
    fit.factors.*kFactors[i] = (is_launch ? kUnknownLaunch_s : 1) * std::exp(logs[i]);
  }
  for (std::size_t i = 0; i < kFrameworkLaunches; ++i)
    fit.tensorflow_launches[i] *= std::exp(logs[kFactors.size() + i]);
  return fit;
}

// Factors are drawn to those of training, launches to a common one: that of a GPU which is left out stays unknown.
TimesFit fit_times(const std::vector<const PublishedTime*>& rows) {
  const auto residuals = [&](const Vector& logs) {
    const TimesFit fit = fit_of(logs);
    Vector result;
    for (const PublishedTime* row : rows) {
      result.push_back(row->weight * linear_beyond(std::log(predicted_time_s(fit, *row) / row->s)) / kTimeSpread);
    }
    for (std::size_t i = 0; i < logs.size(); ++i) {
      result.push_back(logs[i] / (i + kLaunches < kFactors.size() ? kFactorSpread : kLaunchSpread));
    }
    return result;
  };
  return fit_of(least_squares(residuals, Vector(kFactors.size() + kFrameworkLaunches, 0)));
}

void print_errors(const std::string& title, const ErrorTable& errors) {
  fmt::print("\n{}\n", title);
  for (const auto& [group, of_group] : errors.groups()) {
    fmt::print("  {:<28} {:>3} times: mean error {:.1f} %, median {:.1f} %\n", group, of_group.size(),
               100 * errors.mean(group), 100 * errors.quantile(group, 0.5));
  }
}

void add_error(ErrorTable& errors, const TimesFit& fit, const PublishedTime& row, const std::string& group) {
  for (const std::string& one : {std::string("all"), row.framework, group}) {
    errors.add(one, predicted_time_s(fit, row), row.s);
  }
}

void print_rows(const PublishedTimes& times, const TimesFit& fit) {
  std::string before;
  for (const PublishedTime& row : times.rows) {
    const std::string run =
        fmt::format("{}, {}, {}, {}", row.framework, row.model, row.gpu->name, to_string(row.dtype));
    if (run != before) fmt::print("{}{}:", before.empty() ? "" : "\n", run);
    before = run;
    fmt::print(" {}: {:+.0f} %", row.batch, 100 * (predicted_time_s(fit, row) / row.s - 1));
  }
  fmt::print("\n");
}

using GroupOf = std::function<std::string(const PublishedTime&)>;

// Each group is predicted by a fit without it.
ErrorTable errors_left_out(const PublishedTimes& times, const GroupOf& group_of) {
  std::set<std::string> groups;
  for (const PublishedTime& row : times.rows) groups.insert(group_of(row));
  ErrorTable errors;
  for (const std::string& group : groups) {
    std::vector<const PublishedTime*> others;
    for (const PublishedTime& row : times.rows) {
      if (group_of(row) != group) others.push_back(&row);
    }
    const TimesFit fit = fit_times(others);
    for (const PublishedTime& row : times.rows) {
      if (group_of(row) == group) add_error(errors, fit, row, group);
    }
  }
  return errors;
}

void refit_times(const PublishedTimes& times) {
  std::vector<const PublishedTime*> all;
  for (const PublishedTime& row : times.rows) all.push_back(&row);
  const TimesFit fit = fit_times(all);
  fmt::print("\nFitted to all, for inference_efficiency.h\n");
  for (std::size_t i = 0; i < kFactors.size(); ++i) {
    fmt::print("  {:<28} {:.3g}\n", kFactorNames[i], fit.factors.*kFactors[i]);
  }
  for (const double one : fit.tensorflow_launches) fmt::print("  {:<28} {:.3g}\n", "of TensorFlow's launches", one);
  ErrorTable fitted;
  for (const PublishedTime& row : times.rows) add_error(fitted, fit, row, gpu_class(row));
  print_errors("With these", fitted);
  print_errors("Each network on each GPU left out of the fit", errors_left_out(times, [](const PublishedTime& row) {
                 return row.model.substr(0, row.model.find('/')) + " on " + gpu_class(row);
               }));
  print_errors("Each GPU left out of the fit", errors_left_out(times, gpu_class));
}

void report_times(const std::string& file, bool fits) {
  const PublishedTimes times = read_times(file);
  const TimesFit shipped;
  print_rows(times, shipped);
  ErrorTable errors;
  for (const PublishedTime& row : times.rows) {
    if (row.framework == "torch") add_error(errors, shipped, row, gpu_class(row));
  }
  print_errors("As the program has it, times of torch", errors);
  if (fits) refit_times(times);
}

}  // namespace
}  // namespace stash::bench

int main(int argc, char** argv) {
  CLI::App app("Predicted and published times of batches in inference");
  std::string data = "data/inference_times.csv";
  bool fits = false;
  app.add_option("--data", data, "Published times")->capture_default_str();
  app.add_flag("--fit", fits, "Fit the factors of inference again, and leave out networks and GPUs");
  CLI11_PARSE(app, argc, argv);
  try {
    stash::bench::report_times(data, fits);
  } catch (const std::exception& error) {
    fmt::print(stderr, "serving_times: {}\n", error.what());
    return 1;
  }
  return 0;
}
