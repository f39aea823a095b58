#include "stash/report/serve_bench_difference.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "stash/core/units.h"
#include "stash/core/version.h"
#include "stash/report/columns.h"
#include "stash/report/printable.h"
#include "stash/report/serve_bench_report.h"

namespace stash {
namespace {

constexpr int kBenchDifferenceSchema = 1;

std::optional<double> half_width(const std::optional<BenchPart>& part) {
  if (!part || !part->low_s || !part->high_s) return std::nullopt;
  return (*part->high_s - *part->low_s) / 2;
}

// Two runs are independent of each other.
void set_interval(BenchChange& change, const std::optional<double>& before, const std::optional<double>& after) {
  if (!change.change_s || !before || !after) return;
  const double half = std::hypot(*before, *after);
  change.low_s = *change.change_s - half;
  change.high_s = *change.change_s + half;
}

// Parts rise and fall together or against each other, so the latency's interval is no narrower than the widest.
std::optional<double> widest(const ServeBench& bench) {
  std::optional<double> found;
  for (const auto& part : bench.parts) {
    if (const auto half = half_width(part)) found = std::max(found.value_or(0), *half);
  }
  return found;
}

std::string change_text(const std::optional<double>& s) {
  if (!s) return "–";
  return (*s < 0 ? "-" : "+") + format_duration(std::abs(*s));
}

std::string time_text(const std::optional<double>& s) { return s ? format_duration(*s) : "–"; }

nlohmann::ordered_json null_or(const std::optional<double>& s) {
  return s ? nlohmann::ordered_json(*s) : nlohmann::ordered_json();
}

nlohmann::ordered_json change_json(const BenchChange& change) {
  return {{"name", change.name},
          {"before_s", null_or(change.before_s)},
          {"after_s", null_or(change.after_s)},
          {"change_s", null_or(change.change_s)},
          {"low_s", null_or(change.low_s)},
          {"high_s", null_or(change.high_s)}};
}

std::string bench_difference_verdict(const BenchDifference& difference) {
  const BenchChange& latency = difference.latency;
  std::string text =
      fmt::format("a request takes {} after {}", time_text(latency.after_s), time_text(latency.before_s));
  const BenchChange* most = nullptr;
  for (const BenchChange& part : difference.parts) {
    if (!part.is_real()) continue;
    if (most == nullptr || std::abs(*part.change_s) > std::abs(*most->change_s)) most = &part;
  }
  if (most == nullptr) return text + "; no part's change is distinguishable from zero";
  return text + fmt::format("; most of it: {} {}", most->name, change_text(most->change_s));
}

std::vector<std::string> change_cells(const BenchChange& change) {
  const std::string interval =
      change.low_s ? fmt::format("{} to {}", change_text(change.low_s), change_text(change.high_s)) : "not known";
  return {change.name, time_text(change.before_s), time_text(change.after_s), change_text(change.change_s), interval};
}

}  // namespace

BenchDifference compare_benches(const ServeBench& before, const ServeBench& after) {
  BenchDifference found;
  const auto note = [&](std::string_view what, const std::string& one, const std::string& other) {
    if (one != other) {
      found.mismatches.push_back(fmt::format("{} ({}, then {})", what, printable(one), printable(other)));
    }
  };
  note("model", before.model, after.model);
  note("platform", before.platform, after.platform);
  note("rate", fmt::format("{:.6g}", before.rate_per_s), fmt::format("{:.6g}", after.rate_per_s));
  note("objective", time_text(before.objective_s), time_text(after.objective_s));
  for (const RequestPart part : every(RequestPart{})) {
    const auto& one = before.parts[static_cast<std::size_t>(part)];
    const auto& other = after.parts[static_cast<std::size_t>(part)];
    if (!one && !other) continue;
    BenchChange change{.name = part_label(part)};
    if (one) change.before_s = one->s;
    if (other) change.after_s = other->s;
    // What was absent took nothing, and now takes all of its time; the other way round as well.
    change.change_s = change.after_s.value_or(0) - change.before_s.value_or(0);
    set_interval(change, one ? half_width(one) : std::optional(0.0), other ? half_width(other) : std::optional(0.0));
    found.parts.push_back(std::move(change));
  }
  found.latency = {.name = "latency", .before_s = before.mean_s, .after_s = after.mean_s};
  found.latency.change_s = after.mean_s - before.mean_s;
  set_interval(found.latency, widest(before), widest(after));
  return found;
}

std::vector<std::string> bench_increases_over(const BenchDifference& difference, double ratio) {
  std::vector<std::string> found;
  const double least_s = ratio * difference.latency.before_s.value_or(0);
  const auto look = [&](const BenchChange& change) {
    if (change.is_real() && *change.change_s > least_s) found.push_back(change.name);
  };
  std::ranges::for_each(difference.parts, look);
  look(difference.latency);
  return found;
}

std::string bench_difference_text(const BenchDifference& difference, const ReportOptions& options) {
  std::vector<std::vector<std::string>> rows{{"part", "before", "after", "change", "95 % interval"}};
  for (const BenchChange& part : difference.parts) rows.push_back(change_cells(part));
  rows.push_back(change_cells(difference.latency));
  std::string text = bench_difference_verdict(difference) + "\n\n";
  text += render_columns(rows, std::vector<std::size_t>{0, 4});
  for (const std::string& one : difference.mismatches) text += fmt::format("\nthey differ in {}\n", one);
  return options.unicode ? text : to_ascii(text);
}

std::string bench_difference_json(const BenchDifference& difference) {
  nlohmann::ordered_json parts = nlohmann::ordered_json::array();
  for (const BenchChange& part : difference.parts) parts.push_back(change_json(part));
  const nlohmann::ordered_json json{{"schema_version", kBenchDifferenceSchema},
                                    {"tool", tool_json()},
                                    {"mismatches", difference.mismatches},
                                    {"parts", parts},
                                    {"latency", change_json(difference.latency)}};
  return json.dump(1, ' ', true, nlohmann::json::error_handler_t::replace) + "\n";
}

std::string bench_difference_csv(const BenchDifference& difference) {
  const auto cell = [](const std::optional<double>& value) { return value ? fmt::format("{}", *value) : ""; };
  std::string text = "part,before_s,after_s,change_s,low_s,high_s\n";
  const auto add = [&](const BenchChange& one) {
    text += fmt::format("{},{},{},{},{},{}\n", one.name, cell(one.before_s), cell(one.after_s), cell(one.change_s),
                        cell(one.low_s), cell(one.high_s));
  };
  std::ranges::for_each(difference.parts, add);
  add(difference.latency);
  return text;
}

}  // namespace stash
