#include "stash/report/load_report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "stash/core/profile_json.h"
#include "stash/core/units.h"
#include "stash/core/version.h"
#include "stash/report/columns.h"
#include "stash/report/printable.h"

namespace stash {
namespace {

using NamedLatency = std::pair<std::string, const std::optional<LatencyEstimate>*>;

std::vector<NamedLatency> latencies_of(const LoadSummary& summary) {
  return {{"mean", &summary.mean}, {"p50", &summary.p50}, {"p90", &summary.p90}, {"p99", &summary.p99}};
}

std::string percent(double ratio) { return fmt::format("{:.4g} %", 100 * ratio); }

std::string load_verdict(const LoadReport& report) {
  const LoadSummary& summary = report.summary;
  if (!report.why_rejected.empty()) return "rejected: " + report.why_rejected;
  if (!summary.p99) return fmt::format("none of {} requests was answered", summary.planned);
  std::string text = fmt::format("99 of 100 answers within {} at {:.4g} per second", format_duration(summary.p99->s),
                                 summary.throughput_per_s);
  if (report.objective_s) {
    text = fmt::format("{} of the requests within {}; ", percent(*summary.within_objective_ratio),
                       format_duration(*report.objective_s)) +
           text;
  }
  return text;
}

std::string counts_line(const LoadSummary& summary) {
  return fmt::format("{} requests in {}: {} answered, {} refused (429 or 503), {} failed\n", summary.planned,
                     format_duration(summary.duration_s), summary.answered, summary.refused, summary.failed);
}

std::string interval(const LatencyEstimate& one) {
  if (!one.low_s || !one.high_s) return "too few requests for an interval";
  return fmt::format("{} to {}", format_duration(*one.low_s), format_duration(*one.high_s));
}

nlohmann::json bound(const std::optional<double>& value) { return value ? nlohmann::json(*value) : nlohmann::json(); }

}  // namespace

std::string load_text(const LoadReport& report) {
  std::string text = load_verdict(report) + "\n\n";
  text += fmt::format("{}, {}\n", printable(report.target), printable(report.arrivals));
  text += counts_line(report.summary);
  if (report.interrupted) text += "interrupted: requests without an answer by then are not counted\n";
  if (!report.summary.mean) return text;
  std::vector<std::vector<std::string>> rows{{"latency", "", "95 % interval"}};
  for (const auto& [name, estimate] : latencies_of(report.summary)) {
    rows.push_back({name, format_duration((*estimate)->s), interval(**estimate)});
  }
  const std::vector<std::size_t> left{0, 2};
  text += "\n" + render_columns(rows, left);
  text += fmt::format("\nLatency counts from the planned time. Of 100 requests 99 were sent within {} of it.\n",
                      format_duration(report.summary.client_late_s));
  return text;
}

std::string load_json(const LoadReport& report) {
  const LoadSummary& summary = report.summary;
  nlohmann::json latency{{"throughput_per_s", summary.throughput_per_s},
                         {"refused_ratio", nullptr},
                         {"failed_ratio", nullptr},
                         {"within_objective_ratio", bound(summary.within_objective_ratio)}};
  for (const auto& [name, estimate] : latencies_of(summary)) {
    const bool is_known = estimate->has_value();
    latency[name + "_s"] = is_known ? nlohmann::json((*estimate)->s) : nlohmann::json();
    latency[name + "_low_s"] = is_known ? bound((*estimate)->low_s) : nlohmann::json();
    latency[name + "_high_s"] = is_known ? bound((*estimate)->high_s) : nlohmann::json();
  }
  if (summary.planned > 0) {
    const auto planned = static_cast<double>(summary.planned);
    latency["refused_ratio"] = static_cast<double>(summary.refused) / planned;
    latency["failed_ratio"] = static_cast<double>(summary.failed) / planned;
  }
  const nlohmann::json json{
      {"schema_version", 1},
      {"tool", tool_json()},
      {"target", report.target},
      {"arrivals", report.arrivals},
      {"objective_s", bound(report.objective_s)},
      {"requests", summary.planned},
      {"answered", summary.answered},
      {"refused", summary.refused},
      {"failed", summary.failed},
      {"duration_s", summary.duration_s},
      {"latency", latency},
      {"client_late_s", summary.client_late_s},
      {"rejected", report.why_rejected.empty() ? nlohmann::json() : nlohmann::json(report.why_rejected)},
      {"interrupted", report.interrupted}};
  return dump_json(json, 1) + "\n";
}

std::string load_csv(const LoadReport& report) {
  const auto cell = [](const std::optional<double>& value) { return value ? fmt::format("{}", *value) : ""; };
  std::string text = "figure,s,low_s,high_s\n";
  for (const auto& [name, estimate] : latencies_of(report.summary)) {
    if (!estimate->has_value()) continue;
    text += fmt::format("{},{},{},{}\n", name, (*estimate)->s, cell((*estimate)->low_s), cell((*estimate)->high_s));
  }
  return text + fmt::format("client_late,{},,\n", report.summary.client_late_s);
}

}  // namespace stash
