#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stash/catalog/csv.h"
#include "stash/fleet/market/start_time.h"

namespace stash {

// A CSV by the names of its columns; errors name file, line and column.
class NamedRows {
 public:
  NamedRows(std::string_view text, std::string_view source);

  std::size_t count() const { return table_.rows.size(); }
  std::size_t line(std::size_t row) const { return table_.rows[row].line; }
  bool has(std::string_view column) const;
  std::string text(std::size_t row, std::string_view column) const;              // empty: no such column
  std::optional<double> number(std::size_t row, std::string_view column) const;  // nullopt: empty; at least 0
  double needed(std::size_t row, std::string_view column) const;                 // above 0
  [[noreturn]] void fail(std::size_t row, std::string_view column, std::string_view what) const;

 private:
  CsvTable table_;
  std::string source_;
};

// catalog/cpu_machines.csv and catalog/functions.csv.
struct CpuMachine {
  std::string name;
  double vcpus = 0;
  double usd_per_hour = 0;
  std::string source;
};
std::vector<CpuMachine> cpu_machine_table();

struct FunctionRow {
  std::string name;
  std::string gpu;  // empty: on CPUs
  double vcpus = 0;
  double usd_per_s = 0;
  double usd_per_request = 0;
  VaryingTime cold_start;
  double kept_warm_s = 0;
  std::string source;
};
std::vector<FunctionRow> function_table();

}  // namespace stash
