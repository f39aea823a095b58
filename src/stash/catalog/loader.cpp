#include "stash/catalog/loader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "stash/catalog/csv.h"
#include "stash/catalog/embedded_csv.h"
#include "stash/core/error.h"

namespace stash {
namespace {

constexpr std::array<std::string_view, 6> kLoaderColumns{"name",           "cpu_ratio", "cpu_low_ratio",
                                                         "cpu_high_ratio", "source",    "date"};
constexpr double kMostCpuRatio = 1000;  // more is a mistake

double cpu_ratio(const std::string& field, const CsvRow& row, std::string_view source) {
  double value = 0;
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
  const bool whole = error == std::errc() && end == field.data() + field.size();
  if (whole && value > 0 && value <= kMostCpuRatio) return value;
  throw Error(
      fmt::format("{} line {}: '{}' is no ratio above 0 and up to {:g}", source, row.line, field, kMostCpuRatio));
}

Loader loader_of(const CsvRow& row, std::string_view source) {
  const auto ratio = [&](std::size_t column) { return cpu_ratio(row.fields[column], row, source); };
  Loader loader{.name = row.fields[0],
                .cpu_ratio = ratio(1),
                .cpu_low_ratio = ratio(2),
                .cpu_high_ratio = ratio(3),
                .source = row.fields[4],
                .date = row.fields[5]};
  if (loader.cpu_low_ratio > loader.cpu_ratio || loader.cpu_high_ratio < loader.cpu_ratio) {
    throw Error(fmt::format("{} line {}: cpu_ratio of '{}' is not inside its interval", source, row.line, loader.name));
  }
  return loader;
}

}  // namespace

std::vector<Loader> parse_loaders(std::string_view text, std::string_view source) {
  const CsvTable table = parse_csv(text, source);
  if (!std::ranges::equal(table.header, kLoaderColumns)) {
    throw Error(fmt::format("{}: the header must be the columns of catalog/loaders.csv, in that order", source));
  }
  std::vector<Loader> loaders;
  for (const CsvRow& row : table.rows) loaders.push_back(loader_of(row, source));
  return loaders;
}

std::span<const Loader> loader_table() {
  static const std::vector<Loader> loaders = parse_loaders(kLoadersCsv, "catalog/loaders.csv");
  return loaders;
}

const Loader& find_loader(std::string_view name) {
  std::vector<std::string_view> names;
  for (const Loader& loader : loader_table()) {
    if (loader.name == name) return loader;
    names.push_back(loader.name);
  }
  throw_unknown("--loader", name, names);
}

std::string describe(const Loader& loader) {
  if (loader.name == kOwnLoader) return "Stash's own loader";
  return fmt::format("{}, {:g} times ({:g} to {:g}) the CPU time of Stash's own loader", loader.name, loader.cpu_ratio,
                     loader.cpu_low_ratio, loader.cpu_high_ratio);
}

}  // namespace stash
