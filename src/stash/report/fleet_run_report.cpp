#include "stash/report/fleet_run_report.h"

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>
#include <vector>

#include "stash/core/profile_json.h"
#include "stash/core/units.h"
#include "stash/core/version.h"
#include "stash/report/columns.h"
#include "stash/report/printable.h"

namespace stash {
namespace {

std::string requests_text(double count) { return format_count(static_cast<std::int64_t>(count + 0.5)); }

std::string share_text(double ratio) { return fmt::format("{:.2f} %", 100 * ratio); }

std::string cost_text(double usd) { return fmt::format("${:.2f}", usd); }

std::string run_verdict(const FleetSummary& summary) {
  const auto missed = summary.missed_ratio();
  if (!missed) return fmt::format("no requests came in {}", format_duration(summary.duration_s));
  const bool is_met = 1 - *missed >= summary.objective.meet_ratio;
  return fmt::format("{} of {} requests within {}: {} the objective of {}; {}", share_text(1 - *missed),
                     requests_text(summary.counts.all()), format_duration(summary.objective.latency_s),
                     is_met ? "meets" : "misses", share_text(summary.objective.meet_ratio), cost_text(summary.usd()));
}

std::string fleet_bill_text(const FleetSummary& summary) {
  std::vector<std::vector<std::string>> rows{{"machine", "rented", "hours", "cost"}};
  for (const BillRow& row : summary.bill) {
    rows.push_back({printable(row.type) + (row.spot ? " (spot)" : ""), std::to_string(row.machines),
                    fmt::format("{:.2f}", row.hours), cost_text(row.usd)});
  }
  return render_columns(rows, std::vector<std::size_t>{0});
}

std::string fleet_changes_text(const FleetSummary& summary) {
  std::vector<std::vector<std::string>> rows{{"", "", "machine", "why"}};
  for (const FleetChange& one : summary.changes) {
    rows.push_back({one.what, std::to_string(one.machines), printable(one.type), printable(one.reason)});
  }
  return render_columns(rows, std::vector<std::size_t>{0, 2, 3});
}

nlohmann::json known_or_null(const std::optional<double>& value) {
  return value ? nlohmann::json(*value) : nlohmann::json();
}

}  // namespace

std::string fleet_run_text(const FleetSummary& summary) {
  std::string text = run_verdict(summary) + "\n\n";
  const LoadCounts& counts = summary.counts;
  text += fmt::format("{} requests in {}: {} in time, {} late, {} refused (429 or 503), {} failed\n",
                      requests_text(counts.all()), format_duration(summary.duration_s), requests_text(counts.served),
                      requests_text(counts.late), requests_text(counts.refused), requests_text(counts.failed));
  if (summary.unknown_s > 0) {
    text += fmt::format("the load of {} is not known\n", format_duration(summary.unknown_s));
  }
  if (summary.speed != 1) {
    text += fmt::format("the fleet's clock ran {:g} times as fast as time: prices, starts and minutes count on it\n",
                        summary.speed);
  }
  if (summary.mean_s) {
    text +=
        fmt::format("latency: mean {}, p50 {}, p90 {}, p99 {}\n", format_duration(*summary.mean_s),
                    format_duration(*summary.p50_s), format_duration(*summary.p90_s), format_duration(*summary.p99_s));
  }
  if (!summary.bill.empty()) text += "\n" + fleet_bill_text(summary);
  if (!summary.changes.empty()) text += "\n" + fleet_changes_text(summary);
  if (!summary.trouble.empty()) text += "\nin trouble: " + printable(summary.trouble) + "\n";
  return text;
}

std::string fleet_run_json(const FleetSummary& summary) {
  nlohmann::json hours = nlohmann::json::object(), changes = nlohmann::json::array();
  for (const BillRow& row : summary.bill) hours[row.type + (row.spot ? " (spot)" : "")] = row.hours;
  for (const FleetChange& one : summary.changes) {
    changes.push_back({{"what", one.what}, {"machine", one.type}, {"machines", one.machines}, {"reason", one.reason}});
  }
  const auto ratio = [&](double count) {
    return summary.counts.all() > 0 ? nlohmann::json(count / summary.counts.all()) : nlohmann::json();
  };
  const nlohmann::json json{{"schema_version", 1},
                            {"tool", tool_json()},
                            {"model", summary.model},
                            {"provider", summary.provider},
                            {"policy", summary.policy},
                            {"address", summary.address},
                            {"objective_s", summary.objective.latency_s},
                            {"meet_ratio", summary.objective.meet_ratio},
                            {"speed", summary.speed},
                            {"duration_s", summary.duration_s},
                            {"unknown_s", summary.unknown_s},
                            {"requests", summary.counts.all()},
                            {"late", summary.counts.late},
                            {"refused", summary.counts.refused},
                            {"failed", summary.counts.failed},
                            {"missed_ratio", ratio(summary.counts.missed())},
                            {"refused_ratio", ratio(summary.counts.refused)},
                            {"mean_s", known_or_null(summary.mean_s)},
                            {"p50_s", known_or_null(summary.p50_s)},
                            {"p90_s", known_or_null(summary.p90_s)},
                            {"p99_s", known_or_null(summary.p99_s)},
                            {"usd", summary.usd()},
                            {"machine_hours", hours},
                            {"changes", changes},
                            {"ready", summary.ready},
                            {"starting", summary.starting},
                            {"trouble", summary.trouble.empty() ? nlohmann::json() : nlohmann::json(summary.trouble)}};
  return dump_json(json, 2) + "\n";
}

std::string fleet_progress(const FleetSummary& summary, double rate_per_s) {
  const auto missed = summary.missed_ratio();
  std::string text =
      fmt::format("{}: {:.4g} requests per second, {} missed; {} machine{}", format_duration(summary.duration_s),
                  rate_per_s, missed ? share_text(*missed) : "none", summary.ready, summary.ready == 1 ? "" : "s");
  if (summary.starting > 0) text += fmt::format(", {} starting", summary.starting);
  text += "; " + cost_text(summary.usd());
  if (!summary.trouble.empty()) text += "; " + printable(summary.trouble);
  return text;
}

}  // namespace stash
