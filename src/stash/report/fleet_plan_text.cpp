#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "stash/core/units.h"
#include "stash/report/columns.h"
#include "stash/report/fleet_plan_report.h"
#include "stash/report/fleet_replay_report.h"
#include "stash/report/printable.h"

namespace stash {
namespace {

constexpr double kPlannedDay_s = 86400;

std::string rounded_text(double count) { return format_count(std::llround(count)); }

std::string planned_hours_text(const FleetPlan& plan, const ReportOptions& options) {
  std::vector<std::vector<std::string>> rows{{"from", "requests", "busiest minute", "forecast up to"}};
  std::vector<const PlannedType*> used;
  for (const PlannedType& type : plan.types) {
    if (type.most == 0) continue;
    used.push_back(&type);
    rows.front().push_back(printable(type.name, options.unicode));
  }
  for (const char* const one : {"functions", "missed", "cost"}) rows.front().emplace_back(one);
  for (const PlannedHour& hour : plan.hours) {
    std::vector<std::string> row{planned_clock_text(hour.begin_s), rounded_text(hour.requests),
                                 rounded_text(hour.most_per_min),
                                 hour.forecast_per_min ? rounded_text(*hour.forecast_per_min) : "-"};
    for (const PlannedType* type : used)
      row.push_back(planned_range_text(hour.fewest[type->index], hour.most[type->index]));
    const double all = std::max(1.0, hour.requests);
    row.push_back(fleet_percent_text(hour.by_function / all));
    row.push_back(fleet_percent_text(hour.missed / all));
    row.push_back(fleet_usd_text(hour.usd));
    rows.push_back(std::move(row));
  }
  return render_columns(rows, std::array<std::size_t, 1>{0});
}

std::string planned_types_text(const FleetPlan& plan, const ReportOptions& options) {
  std::vector<std::vector<std::string>> rows{
      {"machine", "per hour", "requests per second", "batch", "per million", "hours", "why"}};
  for (const PlannedType& type : plan.types) {
    rows.push_back({printable(type.name, options.unicode), fleet_usd_text(type.usd_per_hour),
                    planned_capacity_text(type), type.per_s ? std::to_string(type.batch) : "-",
                    type.usd_per_million ? fleet_usd_text(*type.usd_per_million) : "-",
                    type.hours > 0 ? fmt::format("{:.1f}", type.hours) : "-", printable(type.why, options.unicode)});
  }
  return render_columns(rows, std::array<std::size_t, 2>{0, 6});
}

std::string next_dollar_text(const NextDollar& next, const ReportOptions& options) {
  const std::string what = printable(next.what, options.unicode);
  if (next.fewer_missed < 0.5)
    return fmt::format("  {}: {}, and no miss fewer\n", what, fleet_usd_text(next.usd_per_day));
  if (next.usd_per_day <= 0) {
    return fmt::format("  {}: {} misses fewer, and {} saved\n", what, rounded_text(next.fewer_missed),
                       fleet_usd_text(-next.usd_per_day));
  }
  return fmt::format("  {}: {} misses fewer for {}, {} per dollar\n", what, rounded_text(next.fewer_missed),
                     fleet_usd_text(next.usd_per_day), rounded_text(next.fewer_missed / next.usd_per_day));
}

}  // namespace

std::string planned_range_text(int fewest, int most) {
  if (most == 0) return "-";
  return fewest == most ? std::to_string(most) : fmt::format("{} to {}", fewest, most);
}

std::string planned_clock_text(double s) {
  const auto whole = static_cast<long>(std::fmod(s, kPlannedDay_s));
  return fmt::format("{:02}:{:02}", whole / 3600, whole / 60 % 60);
}

std::string planned_capacity_text(const PlannedType& type) {
  if (!type.per_s) return "-";
  if (*type.high_per_s <= *type.low_per_s) return fmt::format("{:.4g}", *type.per_s);
  return fmt::format("{:.4g} ({:.4g} to {:.4g})", *type.per_s, *type.low_per_s, *type.high_per_s);
}

std::string fleet_plan_verdict(const FleetPlan& plan) {
  std::string machines;
  for (const PlannedType& type : plan.types) {
    if (type.most == 0) continue;
    machines += fmt::format("{}up to {} {}", machines.empty() ? "" : ", ", type.most, printable(type.name));
  }
  if (plan.by_function > 0) machines += (machines.empty() ? "" : " and ") + printable(plan.function);
  const double days = plan.duration_s / kPlannedDay_s;
  const std::string cost = days > 0.99
                               ? fmt::format("{} per day", fleet_usd_text(plan.usd / days))
                               : fmt::format("{} for {}", fleet_usd_text(plan.usd), format_duration(plan.duration_s));
  return fmt::format(
      "rent {}: {}, {} of {} requests within {}{}", machines.empty() ? "nothing" : machines, cost,
      fleet_percent_text(1 - plan.missed_ratio()), rounded_text(plan.requests),
      format_duration(plan.objective.latency_s),
      plan.meets() ? "" : fmt::format(", fewer than the {} asked for", fleet_percent_text(plan.objective.meet_ratio)));
}

std::string fleet_plan_text(const FleetPlan& plan, const ReportOptions& options) {
  std::string text = fleet_plan_verdict(plan) + "\n\n" + planned_hours_text(plan, options) + "\n";
  text += planned_types_text(plan, options) + "\n";
  text += fmt::format("on average {} per hour; {} of it for functions, which answer {} of the requests\n",
                      fleet_usd_text(plan.usd / std::max(1e-9, plan.duration_s / kSecondsPerHour)),
                      fleet_usd_text(plan.function_usd),
                      fleet_percent_text(plan.by_function / std::max(1.0, plan.requests)));
  if (plan.best_single_usd && plan.peak_usd) {
    text += fmt::format("the best single type with an autoscaler would cost {}, machines for the peak {}\n",
                        fleet_usd_text(*plan.best_single_usd), fleet_usd_text(*plan.peak_usd));
  }
  text += "\nwhat the next dollar buys\n";
  for (const NextDollar& next : plan.next) text += next_dollar_text(next, options);
  text += "\n";
  for (const std::string& one : plan.assumptions) text += "assumed: " + printable(one, options.unicode) + "\n";
  for (const std::string& one : plan.warnings) text += "note: " + printable(one, options.unicode) + "\n";
  return text;
}

}  // namespace stash
