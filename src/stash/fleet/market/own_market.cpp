#include "stash/fleet/market/own_market.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "stash/core/error.h"
#include "stash/core/file.h"
#include "stash/core/toml_table.h"
#include "stash/core/units.h"
#include "stash/fleet/market/catalogue_market.h"
#include "stash/fleet/market/market_file.h"
#include "stash/fleet/market/market_rows.h"
#include "stash/serve/bench/bench_json.h"

namespace stash {
namespace {

constexpr std::size_t kMostOwnMarketBytes = 4 << 20;
constexpr int kMostOwnMachines = 1000;
constexpr int kMostOwnBatch = 1024;
constexpr int kMostOwnDevices = 1024;

constexpr std::array<std::string_view, 3> kMarketKeys{"model", "machine", "function"};
constexpr std::array<std::string_view, 17> kMachineKeys{"name",
                                                        "usd_per_hour",
                                                        "spot_usd_per_hour",
                                                        "interruptions_per_hour",
                                                        "start",
                                                        "start_p95",
                                                        "batches",
                                                        "requests_per_min",
                                                        "batch",
                                                        "measured",
                                                        "spread",
                                                        "devices",
                                                        "max_batch",
                                                        "least_billed",
                                                        "gpu",
                                                        "managed_price_ratio",
                                                        "source"};
constexpr std::array<std::string_view, 8> kFunctionKeys{"name",       "usd_per_s",      "usd_per_request", "work",
                                                        "cold_start", "cold_start_p95", "kept_warm",       "source"};

double needed_number(const TomlTable& table, std::string_view key) {
  const auto value = table.number(key);
  if (!value) table.fail(key, "is missing");
  return *value;
}

// What serves `per_min` in batches of `batch`: a single request takes the share of a batch that GPUs need for one, or
// that many times less on CPUs.
BatchTimes times_of_capacity(double per_min, int batch, bool has_gpu) {
  constexpr double kSingleOfBatch = 0.48;  // as market/published_market.cpp says
  const double batch_s = 60 * batch / per_min;
  if (batch == 1) return BatchTimes({{1, batch_s}, {2, 2 * batch_s}});
  return BatchTimes(
      {{1, has_gpu ? std::max(kSingleOfBatch, 1.0 / batch) * batch_s : batch_s / batch}, {batch, batch_s}});
}

BatchTimes given_batches(const TomlTable& table) {
  const toml::array* batches = table.array("batches");
  constexpr std::string_view kForm = "must be a list like [[1, \"8ms\"], [8, \"30ms\"]], from a batch of 1 upwards";
  if (batches == nullptr || batches->empty() || batches->size() > 256) table.fail("batches", kForm);
  std::vector<BatchTime> times;
  for (const toml::node& node : *batches) {
    const toml::array* pair = node.as_array();
    if (pair == nullptr || pair->size() != 2) table.fail("batches", kForm);
    const auto batch = (*pair)[0].value_exact<std::int64_t>();
    const auto time = (*pair)[1].value_exact<std::string>();
    if (!batch || *batch < 1 || *batch > kMostOwnBatch || !time) table.fail("batches", kForm);
    const double s = table.parsed_s("batches", *time);
    const int before = times.empty() ? 0 : times.back().batch;
    if (!(s > 0) || *batch <= before || (times.empty() && *batch != 1)) table.fail("batches", kForm);
    times.push_back({static_cast<int>(*batch), s});
  }
  return BatchTimes(std::move(times));
}

BatchTimes times_in(const TomlTable& table, const std::filesystem::path& file, bool has_gpu) {
  const int ways = static_cast<int>(table.has("batches")) + static_cast<int>(table.has("requests_per_min")) +
                   static_cast<int>(table.has("measured"));
  if (ways != 1) table.fail("name", "needs one of 'batches', 'requests_per_min' and 'measured'");
  if (table.has("batches")) return given_batches(table);
  if (table.has("measured")) {
    const ServeBench bench = read_serve_bench(file.parent_path() / table.text("measured"));
    if (bench.batches.empty()) table.fail("measured", "names a file without times by batch");
    return BatchTimes(bench.batches);
  }
  return times_of_capacity(needed_number(table, "requests_per_min"), table.count("batch", kMostOwnBatch).value_or(1),
                           has_gpu);
}

MachineType machine_in(const toml::table& toml_table, const std::filesystem::path& file) {
  const TomlTable table(toml_table, file.string(), kMachineKeys);
  const std::string name = table.text("name");
  if (name.empty()) table.fail("name", "is missing");
  const bool has_gpu = table.flag("gpu").value_or(true);
  const int batch = table.count("batch", kMostOwnBatch).value_or(1);
  MachineType type{.name = name,
                   .usd_per_hour = needed_number(table, "usd_per_hour"),
                   .spot_usd_per_hour = table.number("spot_usd_per_hour"),
                   .interruptions_per_hour = table.number("interruptions_per_hour").value_or(0),
                   .start = usual_start(has_gpu, 0),
                   .least_billed_s = table.duration_s("least_billed").value_or(60),
                   .devices = table.count("devices", kMostOwnDevices).value_or(1),
                   .times = times_in(table, file, has_gpu),
                   .times_spread_ratio = table.number("spread").value_or(0)};
  if (const auto start_s = table.duration_s("start")) {
    type.start = {.machine = {*start_s, table.duration_s("start_p95").value_or(*start_s)}};
  } else if (table.has("start_p95")) {
    table.fail("start_p95", "needs 'start', the median");
  }
  type.has_gpu = has_gpu;
  type.source = table.has("source") ? table.text("source") : file.filename().string();
  type.managed_price_ratio = table.number("managed_price_ratio").value_or(type.managed_price_ratio);
  type.most_batch = table.count("max_batch", kMostOwnBatch).value_or(table.has("requests_per_min") ? batch : 32);
  return type;
}

FunctionType function_in(const toml::table& toml_table, const std::filesystem::path& file) {
  const TomlTable table(toml_table, file.string(), kFunctionKeys);
  FunctionType function{.name = table.text("name"),
                        .usd_per_s = needed_number(table, "usd_per_s"),
                        .usd_per_request = table.number("usd_per_request").value_or(0),
                        .work_s = table.duration_s("work").value_or(0),
                        .cold_start = {},
                        .kept_warm_s = table.duration_s("kept_warm").value_or(300),
                        .source = table.has("source") ? table.text("source") : file.filename().string()};
  if (function.name.empty()) table.fail("name", "is missing");
  if (!(function.work_s > 0)) table.fail("work", "is missing: what one request takes");
  const double cold_s = table.duration_s("cold_start").value_or(3);
  function.cold_start = {cold_s, table.duration_s("cold_start_p95").value_or(cold_s)};
  return function;
}

void check_names(const Market& market, const std::string& source) {
  std::set<std::string> names;
  for (const MachineType& one : market.machines) {
    if (!names.insert(one.name).second) throw UsageError(fmt::format("{}: '{}' is there twice", source, one.name));
  }
  if (market.machines.empty()) throw UsageError(fmt::format("{}: it needs at least one [[machine]]", source));
}

template <class Add>
void each_table(const TomlTable& top, std::string_view key, const Add& add) {
  if (!top.has(key)) return;
  const toml::array* array = top.array(key);
  if (array == nullptr || array->size() > kMostOwnMachines) {
    top.fail(key, fmt::format("must be a [[{}]], at most {} times", key, kMostOwnMachines));
  }
  for (const toml::node& node : *array) {
    if (node.as_table() == nullptr) top.fail(key, fmt::format("must be a [[{}]]", key));
    add(*node.as_table());
  }
}

// Several rows of a machine, in the order of the file.
MachineType machine_of_rows(const NamedRows& rows, const std::vector<std::size_t>& own, std::string_view source) {
  const std::size_t first = own.front();
  const std::string gpu = rows.text(first, "gpu");
  const bool has_gpu = gpu.empty() || gpu == "true" || gpu == "1" || gpu == "yes";
  std::vector<BatchTime> times;
  int batch = 1;
  if (rows.has("latency_ms")) {
    for (const std::size_t row : own) {
      batch = static_cast<int>(rows.needed(row, "batch"));
      if (batch != rows.needed(row, "batch") || batch > kMostOwnBatch) {
        rows.fail(row, "batch", fmt::format("must be a whole number up to {}", kMostOwnBatch));
      }
      if (batch <= (times.empty() ? 0 : times.back().batch) || (times.empty() && batch != 1)) {
        rows.fail(row, "batch", "must begin with 1 and rise from row to row of a machine");
      }
      times.push_back({batch, rows.needed(row, "latency_ms") / 1e3});
    }
  } else {
    if (own.size() > 1) rows.fail(own[1], "machine", "is there twice");
    batch = static_cast<int>(rows.number(first, "batch").value_or(1));
    if (batch < 1 || batch > kMostOwnBatch)
      rows.fail(first, "batch", fmt::format("must be from 1 to {}", kMostOwnBatch));
    times = times_of_capacity(rows.needed(first, "requests_per_min"), batch, has_gpu).rows();
  }
  MachineType type{.name = rows.text(first, "machine"),
                   .usd_per_hour = rows.needed(first, "usd_per_hour"),
                   .spot_usd_per_hour = rows.number(first, "spot_usd_per_hour"),
                   .start = usual_start(has_gpu, 0),
                   .times = BatchTimes(std::move(times))};
  if (type.name.empty()) rows.fail(first, "machine", "is missing");
  if (const auto start_s = rows.number(first, "start_s")) type.start = {.machine = {*start_s, *start_s}};
  type.has_gpu = has_gpu;
  type.source = source;
  if (!rows.has("latency_ms")) type.most_batch = batch;
  return type;
}

}  // namespace

Market own_market_from_toml(std::string_view text, const std::filesystem::path& file) {
  toml::table document;
  try {
    document = toml::parse(text, file.string());
  } catch (const toml::parse_error& error) {
    throw UsageError(fmt::format("{}, line {}: {}", file.string(), error.source().begin.line, error.description()));
  }
  const TomlTable top(document, file.string(), kMarketKeys);
  Market market{.model = top.text("model"), .machines = {}, .functions = {}};
  if (market.model.empty()) market.model = file.stem().string();
  each_table(top, "machine", [&](const toml::table& one) { market.machines.push_back(machine_in(one, file)); });
  each_table(top, "function", [&](const toml::table& one) { market.functions.push_back(function_in(one, file)); });
  check_names(market, file.string());
  return market;
}

Market own_market_from_csv(std::string_view text, std::string_view source) {
  const NamedRows rows(text, source);
  for (const std::string_view column : {"machine", "usd_per_hour"}) {
    if (!rows.has(column)) throw UsageError(fmt::format("{}, line 1: it has no column '{}'", source, column));
  }
  if (rows.has("latency_ms") == rows.has("requests_per_min")) {
    throw UsageError(fmt::format("{}, line 1: it needs either 'batch' and 'latency_ms' or 'requests_per_min'", source));
  }
  std::vector<std::vector<std::size_t>> machines;
  for (std::size_t row = 0; row < rows.count(); ++row) {
    const auto known = std::ranges::find_if(machines, [&](const std::vector<std::size_t>& own) {
      return rows.text(own.front(), "machine") == rows.text(row, "machine");
    });
    known == machines.end() ? machines.push_back({row}) : known->push_back(row);
  }
  Market market{.model = std::filesystem::path(source).stem().string(), .machines = {}, .functions = {}};
  for (const auto& own : machines) market.machines.push_back(machine_of_rows(rows, own, source));
  if (market.machines.empty()) throw UsageError(fmt::format("{}: it has no machine", source));
  return market;
}

Market read_any_market(const std::filesystem::path& file) {
  const std::string text = read_file(file, kMostOwnMarketBytes);
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first != std::string::npos && text[first] == '{') return market_from_text(text, file.string());
  if (file.extension() == ".csv") return own_market_from_csv(text, file.string());
  return own_market_from_toml(text, file);
}

Market measured_market(const std::filesystem::path& file, const Instance& instance) {
  const ServeBench bench = read_serve_bench(file);
  if (bench.batches.empty()) throw UsageError(fmt::format("{} has no times by batch", file.string()));
  if (!instance.usd_per_h) {
    throw UsageError(fmt::format("{} has no price; add it with `stash catalog add`", instance.name));
  }
  MachineType type{.name = instance.name,
                   .usd_per_hour = *instance.usd_per_h,
                   .start = usual_start(instance.gpus > 0, 0),
                   .devices = std::max(1, instance.gpus),
                   .times = BatchTimes(bench.batches)};
  type.has_gpu = instance.gpus > 0;
  type.most_batch = bench.batches.back().batch;
  type.source = fmt::format("T(b): measured, {}; price: {}, {}", file.filename().string(), instance.price_source,
                            instance.price_date);
  return {.model = bench.model, .machines = {std::move(type)}, .functions = {}};
}

}  // namespace stash
