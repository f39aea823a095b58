#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <map>
#include <numeric>
#include <optional>

#include "stash/catalog/csv.h"
#include "stash/core/file.h"
#include "stash/models/models.h"
#include "stash/predict/scaling.h"

// What the figures in efficiency.cpp reach on the published steps that they were fitted to. That they also hold for
// what they were not fitted to is the business of bench/scaling_gpus and bench/scaling_gpt.

namespace stash {
namespace {

CsvTable published(const std::string& name) {
  return parse_csv(read_file(std::filesystem::path(STASH_ROOT) / "data" / name, 16 << 20), name);
}

class Field {
 public:
  Field(const CsvTable& table, std::string_view name)
      : column_(static_cast<std::size_t>(std::ranges::find(table.header, name) - table.header.begin())) {}
  const std::string& text(const CsvRow& row) const { return row.fields.at(column_); }
  double number(const CsvRow& row) const { return std::stod(text(row)); }
  int whole(const CsvRow& row) const { return std::stoi(text(row)); }

 private:
  std::size_t column_;
};

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

std::string name_here(const std::string& published) {
  const std::string name = lower(published);
  return name == "mobilenetv2" ? "mobilenet_v2" : name;
}

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double percentile95(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() * 95 / 100];
}

using CnnJob = std::tuple<std::string, int, int>;  // model, image size, batch

std::map<CnnJob, std::map<std::string, double>> cnn_steps(const CsvTable& table) {
  const Field model(table, "model"), size(table, "image_size"), batch(table, "batch_size"), gpu(table, "gpu");
  const Field seconds(table, "step_s_median");
  std::map<CnnJob, std::map<std::string, double>> steps;
  for (const CsvRow& row : table.rows) {
    const std::string name = name_here(model.text(row));
    if (std::ranges::find(model_table(), name, &ModelEntry::name) == model_table().end()) continue;
    steps[{name, size.whole(row), batch.whole(row)}][gpu.text(row)] = seconds.number(row);
  }
  return steps;
}

TEST(PublishedSteps, OfOneGpuGiveThoseOfAnother) {
  const CsvTable table = published("cnn_step_times_aws.csv");
  std::vector<double> errors, depthwise, by_peak, by_memory;
  for (const auto& [job, steps] : cnn_steps(table)) {
    std::vector<std::string> assumptions;
    const Graph graph = graph_for_scaling(std::get<0>(job), std::get<1>(job), 0, assumptions);
    for (const auto& [from, from_s] : steps) {
      for (const auto& [to, to_s] : steps) {
        if (from == to) continue;
        const Gpu &a = find_gpu(from), &b = find_gpu(to);
        const ScaledTimes times = scaled_times(graph, {.gpu = &a, .step_s = from_s, .batch = std::get<2>(job)},
                                               std::get<2>(job), DType::fp32, b);
        errors.push_back(std::abs(times.compute_s() / to_s - 1));
        if (std::get<0>(job) == "mobilenet_v2") depthwise.push_back(errors.back());
        by_peak.push_back(std::abs(from_s * a.fp32_ops_per_s / b.fp32_ops_per_s / to_s - 1));
        by_memory.push_back(std::abs(from_s * a.memory_bytes_per_s / b.memory_bytes_per_s / to_s - 1));
      }
    }
  }
  EXPECT_EQ(errors.size(), 1642U);
  EXPECT_LT(mean(errors), 0.05);  // 8 % and 25 % are the goals for networks left out of the fit
  EXPECT_LT(percentile95(errors), 0.13);
  EXPECT_EQ(depthwise.size(), 102U);
  EXPECT_LT(mean(depthwise), 0.07);
  EXPECT_LT(percentile95(depthwise), 0.20);
  EXPECT_LT(mean(errors), mean(by_peak) / 2);
  EXPECT_LT(mean(errors), mean(by_memory) / 2);
}

// Steps that are bound by launches are known to 10 to 20 % only: the interval of the measurement is allowed for.
TEST(PublishedSteps, OnAnH200FollowFromTheModelAlone) {
  const CsvTable table = published("h200_steps.csv");
  const Field model(table, "model"), batch(table, "batch"), dtype(table, "dtype"), compute(table, "compute_s");
  const Field low(table, "low_s"), high(table, "high_s");
  std::vector<double> errors;
  int covered = 0;
  for (const CsvRow& row : table.rows) {
    const ScaledTimes times =
        scaled_times(make_model(model.text(row)), batch.whole(row), parse_dtype(dtype.text(row)), find_gpu("H200"));
    const bool says = !low.text(row).empty();
    const double low_s = says ? low.number(row) : 0.99 * compute.number(row);
    const double high_s = says ? high.number(row) : 1.01 * compute.number(row);
    errors.push_back(std::abs(times.compute_s() / compute.number(row) - 1));
    EXPECT_LT(times.compute_s() / high_s - 1, 0.30) << model.text(row) << ' ' << batch.text(row);
    EXPECT_LT(1 - times.compute_s() / low_s, 0.30) << model.text(row) << ' ' << batch.text(row);
    if (times.compute_s() * times.low_ratio <= high_s && low_s <= times.compute_s() * times.high_ratio) ++covered;
  }
  EXPECT_EQ(errors.size(), 109U);
  EXPECT_LT(mean(errors), 0.10);  // 8 % is the goal; most of the rest is the host, see docs/accuracy.md
  EXPECT_GE(covered, 103);
}

TEST(PublishedSteps, OfGptUnderDataParallelismFollowFromTheModelAlone) {
  const CsvTable table = published("gpt_step_times_a100_single_node.csv");
  constexpr double kRingBytesPerS = 235e9;
  const Field layers(table, "layers"), hidden(table, "hidden"), heads(table, "heads"), seq(table, "seq_len");
  const Field gpus(table, "gpus"), micro(table, "micro_batch"), global(table, "global_batch");
  const Field tensor(table, "tensor_parallel"), pipeline(table, "pipeline_parallel"), step_ms(table, "step_ms");
  std::vector<double> errors;
  for (const CsvRow& row : table.rows) {
    if (tensor.whole(row) != 1 || pipeline.whole(row) != 1) continue;
    const Graph graph = make_model("gpt:layers=" + layers.text(row) + ",hidden=" + hidden.text(row) +
                                   ",heads=" + heads.text(row) + ",seq=" + seq.text(row));
    const ScaledTimes times = scaled_times(graph, micro.whole(row), DType::fp16, find_gpu("A100"));
    const int ranks = gpus.whole(row), accumulation = global.whole(row) / (micro.whole(row) * ranks);
    const double bytes = 4.0 * times.gradient_bytes_ratio * static_cast<double>(graph.parameter_count());
    const double ring_s = bytes * 2 * (ranks - 1) / ranks / kRingBytesPerS;
    const double step_s = accumulation * (times.compute_s() - times.optimizer_s) + times.optimizer_s + ring_s;
    errors.push_back(std::abs(step_s / (step_ms.number(row) * 1e-3) - 1));
  }
  EXPECT_EQ(errors.size(), 170U);
  EXPECT_LT(mean(errors), 0.03);  // 6 % is the goal for rows left out of the fit
}

}  // namespace
}  // namespace stash
