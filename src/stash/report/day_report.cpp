#include "stash/report/day_report.h"

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>

#include "stash/core/version.h"
#include "stash/report/columns.h"
#include "stash/report/ledger_json.h"
#include "stash/report/printable.h"

namespace stash {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kDaysSchemaVersion = 1;

std::string percent(const DayFigure& figure) {
  if (!figure.low_ratio) return fmt::format("{:+.1f}", figure.ratio * 100);
  return fmt::format("{:+.1f} ({:+.1f} to {:+.1f})", figure.ratio * 100, *figure.low_ratio * 100,
                     *figure.high_ratio * 100);
}

Json figure_json(const DayFigure& figure) {
  return {{"ratio", json_number(figure.ratio)},
          {"low_ratio", json_number(figure.low_ratio)},
          {"high_ratio", json_number(figure.high_ratio)}};
}

std::string_view shown(Policy policy) { return policy == Policy::a_dloader ? "A-Dloader's" : to_string(policy); }

}  // namespace

std::string day_verdict(const DayReport& report) {
  const DayFigure& best = report.policies.back().throughput_gain;
  return fmt::format(
      "{} day{} of {} jobs on {} GPUs and {} cores: sharing by need brings {:+.1f} % throughput over an even split",
      report.days, report.days == 1 ? "" : "s", report.jobs, report.machine.gpus, report.machine.resources.cores,
      best.ratio * 100);
}

std::string render_days_text(const DayReport& report, const ReportOptions& options) {
  std::vector<std::vector<std::string>> rows{
      {"policy", "throughput, %", "completion time, %", "makespan, %", "cores used, %"}};
  for (const PolicySummary& row : report.policies) {
    rows.push_back({std::string(shown(row.policy)), percent(row.throughput_gain), percent(row.completion_gain),
                    percent(row.makespan_gain), fmt::format("{:.0f}", row.used_cores_ratio * 100)});
  }
  std::string text = day_verdict(report) + "\n\n" + render_columns(rows, std::array<std::size_t, 1>{0}) + "\n";
  text += fmt::format("jobs: {}\n", printable(report.made_of, options.unicode));
  text +=
      "throughput: of the jobs that run at the moments of the even split's day; times: how much shorter, as speed\n";
  return options.unicode ? text : to_ascii(text);
}

std::string render_days_json(const DayReport& report) {
  Json policies = Json::array();
  for (const PolicySummary& row : report.policies) {
    policies.push_back({{"policy", to_string(row.policy)},
                        {"throughput_gain", figure_json(row.throughput_gain)},
                        {"completion_gain", figure_json(row.completion_gain)},
                        {"makespan_gain", figure_json(row.makespan_gain)},
                        {"used_cores_ratio", json_number(row.used_cores_ratio)}});
  }
  const Json json{{"schema_version", kDaysSchemaVersion},
                  {"tool", tool_json()},
                  {"days", report.days},
                  {"jobs", report.jobs},
                  {"gpus", report.machine.gpus},
                  {"cores", report.machine.resources.cores},
                  {"policies", std::move(policies)}};
  return json.dump(2, ' ', true, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace stash
