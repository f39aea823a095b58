#include "stash/fleet/market/market_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "stash/core/error.h"
#include "stash/fleet/market/embedded_market.h"

namespace stash {

NamedRows::NamedRows(std::string_view text, std::string_view source)
    : table_(parse_csv(text, source)), source_(source) {}

bool NamedRows::has(std::string_view column) const {
  return std::ranges::find(table_.header, column) != table_.header.end();
}

std::string NamedRows::text(std::size_t row, std::string_view column) const {
  const auto found = std::ranges::find(table_.header, column);
  return found == table_.header.end()
             ? ""
             : table_.rows[row].fields[static_cast<std::size_t>(found - table_.header.begin())];
}

std::optional<double> NamedRows::number(std::size_t row, std::string_view column) const {
  const std::string given = text(row, column);
  if (given.empty()) return std::nullopt;
  double value = 0;
  const auto [end, fault] = std::from_chars(given.data(), given.data() + given.size(), value);
  if (fault != std::errc() || end != given.data() + given.size() || !std::isfinite(value) || value < 0) {
    fail(row, column, fmt::format("is '{}'; it takes a number of at least 0", given));
  }
  return value;
}

double NamedRows::needed(std::size_t row, std::string_view column) const {
  const auto value = number(row, column);
  if (!value) fail(row, column, "is missing");
  if (!(*value > 0)) fail(row, column, "must be above 0");
  return *value;
}

void NamedRows::fail(std::size_t row, std::string_view column, std::string_view what) const {
  throw UsageError(fmt::format("{}, line {}: '{}' {}", source_, line(row), column, what));
}

std::vector<CpuMachine> cpu_machine_table() {
  const NamedRows rows(kCpuMachinesCsv, "catalog/cpu_machines.csv");
  std::vector<CpuMachine> machines;
  for (std::size_t i = 0; i < rows.count(); ++i) {
    machines.push_back({rows.text(i, "name"), rows.needed(i, "vcpus"), rows.needed(i, "usd_per_hour"),
                        fmt::format("{}, {}", rows.text(i, "price_source"), rows.text(i, "price_date"))});
  }
  return machines;
}

std::vector<FunctionRow> function_table() {
  const NamedRows rows(kFunctionsCsv, "catalog/functions.csv");
  std::vector<FunctionRow> functions;
  for (std::size_t i = 0; i < rows.count(); ++i) {
    functions.push_back({.name = rows.text(i, "name"),
                         .gpu = rows.text(i, "gpu"),
                         .vcpus = rows.number(i, "vcpus").value_or(0),
                         .usd_per_s = rows.needed(i, "usd_per_s"),
                         .usd_per_request = rows.number(i, "usd_per_request").value_or(0),
                         .cold_start = {rows.needed(i, "cold_start_median_s"), rows.needed(i, "cold_start_p95_s")},
                         .kept_warm_s = rows.number(i, "kept_warm_s").value_or(0),
                         .source = fmt::format("{}, {}", rows.text(i, "source"), rows.text(i, "date"))});
  }
  return functions;
}

}  // namespace stash
