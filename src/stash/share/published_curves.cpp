#include "stash/share/published_curves.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "stash/catalog/csv.h"
#include "stash/core/error.h"
#include "stash/core/words.h"
#include "stash/share/embedded_curves.h"

namespace stash {
namespace {

constexpr std::size_t kFixedColumns = 3;  // model, kind, source
constexpr std::string_view kCpus = "cpus_";
constexpr int kMostCpus = 1024;

template <class Number>
Number number_in(std::string_view text, const std::string& where) {
  Number value{};
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (fault == std::errc{} && end == text.data() + text.size() && value > Number{0}) return value;
  throw Error(fmt::format("{}: '{}' is not a number above 0", where, text));
}

std::vector<int> cpus_of(const CsvTable& table, std::string_view source) {
  std::vector<int> cpus;
  for (const std::string& name : table.header) {
    if (!name.starts_with(kCpus)) continue;
    cpus.push_back(number_in<int>(name.substr(kCpus.size()), std::string(source)));
  }
  const bool rises = std::ranges::is_sorted(cpus, std::less_equal<>{}) && !cpus.empty() && cpus.back() <= kMostCpus;
  if (table.header.size() != cpus.size() + kFixedColumns || table.header[0] != "model" || table.header[1] != "kind" ||
      table.header.back() != "source" || !rises || cpus.front() != 1) {
    throw Error(fmt::format("{}: the header must be model,kind,cpus_1,...,source with rising numbers of CPUs", source));
  }
  return cpus;
}

std::vector<Rate> interpolated(const std::vector<int>& cpus, const std::vector<double>& rates) {
  std::vector<Rate> by_workers;
  for (std::size_t i = 0; i < cpus.size(); ++i) {
    const int from = i == 0 ? 0 : cpus[i - 1];
    const double before = i == 0 ? 0 : rates[i - 1];
    for (int k = from + 1; k <= cpus[i]; ++k) {
      const double rate = before + (rates[i] - before) * (k - from) / (cpus[i] - from);
      by_workers.push_back({rate, rate, rate});
    }
  }
  return by_workers;
}

PublishedCurve curve_of_row(const CsvRow& row, const std::vector<int>& cpus, std::string_view source) {
  std::vector<double> rates;
  for (std::size_t i = 0; i < cpus.size(); ++i) {
    rates.push_back(number_in<double>(row.fields[2 + i], fmt::format("{}, line {}", source, row.line)));
  }
  PublishedCurve one{.kind = row.fields[1], .curve = {}, .source = row.fields.back()};
  one.curve.name = row.fields[0];
  one.curve.by_workers = interpolated(cpus, rates);
  one.curve.ceiling = one.curve.by_workers.back();
  return one;
}

}  // namespace

std::vector<PublishedCurve> parse_curves(std::string_view text, std::string_view source) {
  const CsvTable table = parse_csv(text, source);
  const std::vector<int> cpus = cpus_of(table, source);
  std::vector<PublishedCurve> curves;
  for (const CsvRow& row : table.rows) curves.push_back(curve_of_row(row, cpus, source));
  return curves;
}

const std::vector<PublishedCurve>& published_curves() {
  static const std::vector<PublishedCurve> curves = parse_curves(kCpuSensitivityCsv, "catalog/cpu_sensitivity.csv");
  return curves;
}

const SupplyCurve& published_curve(std::string_view model) {
  std::vector<std::string_view> names;
  for (const PublishedCurve& one : published_curves()) {
    if (one.curve.name == model) return one.curve;
    names.push_back(one.curve.name);
  }
  throw_unknown("curve", model, names);
}

std::vector<std::vector<SupplyCurve>> curves_of_kinds(std::string_view kinds) {
  std::vector<std::vector<SupplyCurve>> found;
  std::vector<std::string_view> names;
  for (const PublishedCurve& one : published_curves()) {
    if (std::ranges::find(names, one.kind) == names.end()) names.push_back(one.kind);
  }
  for (const std::string& kind : split_list(kinds)) {
    found.emplace_back();
    for (const PublishedCurve& one : published_curves()) {
      if (one.kind == kind) found.back().push_back(one.curve);
    }
    if (found.back().empty()) throw_unknown("--mix", kind, names);
  }
  if (found.empty()) throw UsageError("--mix names no kind of job; write it like vision,speech,language");
  return found;
}

}  // namespace stash
