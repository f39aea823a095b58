#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <filesystem>

#include "error_table.h"
#include "stash/catalog/csv.h"
#include "stash/core/error.h"
#include "stash/core/file.h"
#include "stash/models/models.h"
#include "stash/predict/scaling.h"

// The compute of a training step on an H200 from the model alone, beside what was measured there (data/h200_steps.csv;
// bench/h200_compute.py measures more).

namespace stash::bench {
namespace {

constexpr std::size_t kMostBytes = 16 << 20;

std::size_t column_of(const CsvTable& table, std::string_view name) {
  const auto found = std::ranges::find(table.header, name);
  if (found == table.header.end()) throw Error(fmt::format("the file has no column '{}'", name));
  return static_cast<std::size_t>(found - table.header.begin());
}

void compare(const std::filesystem::path& file, const Gpu& gpu) {
  const CsvTable table = parse_csv(read_file(file, kMostBytes), file.string());
  const std::size_t model = column_of(table, "model"), batch = column_of(table, "batch");
  const std::size_t dtype = column_of(table, "dtype"), compute = column_of(table, "compute_s");
  ErrorTable errors;
  std::size_t covered = 0;
  fmt::print("{:<20} {:>5} {:>5} {:>13} {:>13} {:>7} {:>8}\n", "model", "batch", "dtype", "measured, ms",
             "predicted, ms", "error", "interval");
  for (const CsvRow& row : table.rows) {
    const std::string& name = row.fields[model];
    const double measured_s = std::stod(row.fields[compute]);
    const ScaledTimes times =
        scaled_times(make_model(name), std::stoi(row.fields[batch]), parse_dtype(row.fields[dtype]), gpu);
    const double predicted_s = times.compute_s();
    const bool covers = predicted_s * times.low_ratio <= measured_s && measured_s <= predicted_s * times.high_ratio;
    covered += covers ? 1 : 0;
    for (const std::string& group : {std::string("all"), name, row.fields[dtype]}) {
      errors.add(group, predicted_s, measured_s);
    }
    fmt::print("{:<20} {:>5} {:>5} {:>13.1f} {:>13.1f} {:>+6.1f}% {:>8}\n", name, row.fields[batch], row.fields[dtype],
               measured_s * 1e3, predicted_s * 1e3, 100 * (predicted_s / measured_s - 1), covers ? "covers" : "misses");
  }
  fmt::print("\n");
  for (const auto& [group, of_group] : errors.groups()) {
    fmt::print("{:<20} {:>3} steps, mean error {:.1f} %, worst {:.1f} %\n", group, of_group.size(),
               100 * errors.mean(group), 100 * errors.quantile(group, 1));
  }
  fmt::print("intervals cover {} of {} measured steps\n", covered, table.rows.size());
}

}  // namespace
}  // namespace stash::bench

int main(int argc, char** argv) {
  CLI::App app("Predicted and measured compute of a step on an H200");
  std::string data = "data/h200_steps.csv";
  std::string gpu = "H200";
  app.add_option("--data", data, "Measured steps")->capture_default_str();
  app.add_option("--gpu", gpu, "GPU that they were measured on")->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  stash::bench::compare(data, stash::find_gpu(gpu));
  return 0;
}
