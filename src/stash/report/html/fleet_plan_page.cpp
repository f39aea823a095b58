#include "stash/report/html/fleet_plan_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "stash/core/units.h"
#include "stash/report/fleet_plan_report.h"
#include "stash/report/fleet_replay_report.h"
#include "stash/report/html/charts.h"
#include "stash/report/html/html_table.h"
#include "stash/report/html/markup.h"
#include "stash/report/html/page_frame.h"
#include "stash/report/html/time_chart.h"

namespace stash {
namespace {

constexpr std::array<std::string_view, 8> kTypeColours{"series-1",     "series-2",  "series-3",     "series-4",
                                                       "part-network", "part-prep", "part-unsplit", "series-quiet"};

std::string type_colour(std::size_t i) { return std::string(kTypeColours[std::min(i, kTypeColours.size() - 1)]); }

TimePlane day_plane(const FleetPlan& plan, std::string title) {
  TimePlane plane{.label = title, .y_title = std::move(title), .edges = {}, .x_tick = {}, .y_tick = {}};
  for (const PlannedStretch& one : plan.stretches)
    plane.edges.push_back((one.begin_s - plan.begin_s) / kSecondsPerHour);
  plane.edges.push_back(plan.duration_s / kSecondsPerHour);
  plane.x_tick = [begin_s = plan.begin_s](double hours) {
    return planned_clock_text(begin_s + std::round(hours * 60) * 60);
  };
  plane.y_tick = [](double value) { return fmt::format("{:g}", value); };
  return plane;
}

std::string planned_load_body(const FleetPlan& plan) {
  TimeBand band{.classes = "band series-2", .values = {}};
  TimeLine load{.classes = "series-1", .values = {}}, capacity{.classes = "series-3", .values = {}};
  for (const PlannedStretch& one : plan.stretches) {
    band.values.push_back(one.forecast ? std::optional(Whisker{one.forecast->p05 / 60, one.forecast->p95 / 60})
                                       : std::nullopt);
    load.values.push_back(one.per_min ? std::optional(*one.per_min / 60) : std::nullopt);
    capacity.values.emplace_back(one.capacity_per_min / 60);
  }
  const std::vector<TimeBand> bands{std::move(band)};
  const std::vector<TimeLine> lines{std::move(load), std::move(capacity)};
  const std::vector<LegendEntry> names{{"series-1", "requests per second"},
                                       {"series-2", "forecast, 5 to 95 %, when machines had to be ordered"},
                                       {"series-3", "what the machines take"}};
  return figure(legend(names) + time_chart(day_plane(plan, "requests per second"), bands, lines),
                "Load, forecast and capacity. Minutes that were not recorded are left out.");
}

std::string planned_machines_body(const FleetPlan& plan) {
  std::vector<LegendEntry> names;
  std::vector<TimeBand> areas;
  std::vector<double> below(plan.stretches.size());
  for (const PlannedType& type : plan.types) {
    if (type.most == 0) continue;
    const std::string colour = type_colour(names.size());
    names.push_back({colour, type.name});
    TimeBand area{.classes = "area " + colour, .values = {}, .tip = type.name};
    for (std::size_t i = 0; i < plan.stretches.size(); ++i) {
      const double top = below[i] + plan.stretches[i].machines[type.index];
      area.values.emplace_back(Whisker{below[i], top});
      below[i] = top;
    }
    areas.push_back(std::move(area));
  }
  if (names.empty()) return paragraph("No machine is rented.");
  return figure(legend(names) + time_chart(day_plane(plan, "machines that are ready"), areas, {}),
                "Machines by type over the day.");
}

std::string planned_types_body(const FleetPlan& plan) {
  HtmlTable table("Why each machine is there, or not",
                  {"machine", "$ per hour", "requests per second", "batch", "$ per million", "hours", "most", "why"});
  for (const PlannedType& type : plan.types) {
    table.add({type.name, Cell(fleet_usd_text(type.usd_per_hour), type.usd_per_hour),
               Cell(planned_capacity_text(type), type.per_s), type.per_s ? number_cell(type.batch, 0) : Cell("–"),
               type.usd_per_million ? Cell(fleet_usd_text(*type.usd_per_million), *type.usd_per_million) : Cell("–"),
               number_cell(type.hours, 1), number_cell(type.most, 0), type.why},
              type.most > 0 ? "best" : "");
  }
  return table.str();
}

std::string next_dollar_body(const FleetPlan& plan) {
  HtmlTable table("What the next dollar buys", {"what", "$ per day", "fewer misses", "fewer misses per dollar"});
  for (const NextDollar& one : plan.next) {
    table.add({one.what, Cell(fleet_usd_text(one.usd_per_day), one.usd_per_day),
               Cell(format_count(std::llround(one.fewer_missed)), one.fewer_missed),
               one.usd_per_day > 0 ? Cell(format_count(std::llround(one.fewer_missed / one.usd_per_day)),
                                          one.fewer_missed / one.usd_per_day)
                                   : Cell("saves money")});
  }
  return table.str();
}

std::string planned_hours_body(const FleetPlan& plan) {
  HtmlTable table("By hour", {"from", "requests", "busiest minute", "forecast up to"});
  for (const PlannedType& type : plan.types) {
    if (type.most > 0) table.add_column(type.name);
  }
  for (const char* const one : {"functions", "missed", "cost"}) table.add_column(one);
  const auto count = [](double value) { return Cell(format_count(std::llround(value)), value); };
  for (const PlannedHour& hour : plan.hours) {
    std::vector<Cell> row{planned_clock_text(hour.begin_s), count(hour.requests), count(hour.most_per_min),
                          hour.forecast_per_min ? count(*hour.forecast_per_min) : Cell("–")};
    for (const PlannedType& type : plan.types) {
      if (type.most > 0) row.emplace_back(planned_range_text(hour.fewest[type.index], hour.most[type.index]));
    }
    const double all = std::max(1.0, hour.requests);
    row.emplace_back(fleet_percent_text(hour.by_function / all), hour.by_function / all);
    row.emplace_back(fleet_percent_text(hour.missed / all), hour.missed / all);
    row.emplace_back(fleet_usd_text(hour.usd), hour.usd);
    table.add(std::move(row));
  }
  return table.str();
}

std::string planned_costs_body(const FleetPlan& plan) {
  std::vector<BarRow> bars;
  const auto add = [&](const char* label, double machines_usd, double functions_usd, const char* colour) {
    bars.push_back({.label = label,
                    .figures = fleet_usd_text(machines_usd + functions_usd),
                    .segments = {{machines_usd, colour, "machines " + fleet_usd_text(machines_usd)},
                                 {functions_usd, "series-2", "functions " + fleet_usd_text(functions_usd)}},
                    .interval = std::nullopt});
  };
  add("this plan", plan.usd - plan.function_usd, plan.function_usd, "series-1");
  if (plan.best_single_usd) add("best single type, autoscaled", *plan.best_single_usd, 0, "series-quiet");
  if (plan.peak_usd) add("machines for the peak", *plan.peak_usd, 0, "series-quiet");
  const std::vector<LegendEntry> names{
      {"series-1", "machines"}, {"series-2", "functions"}, {"series-quiet", "other ways"}};
  return figure(legend(names) + bar_chart("Cost", bars, [](double usd) { return fleet_usd_text(usd); }),
                "What the planned time costs.");
}

std::string planned_assumptions_body(const FleetPlan& plan) {
  std::vector<std::pair<std::string, std::string>> sources;
  for (const PlannedType& type : plan.types) sources.emplace_back(type.name, type.source);
  return list(plan.assumptions) + facts(sources) + list(plan.warnings);
}

}  // namespace

std::string render_fleet_plan_html(const FleetPlan& plan) {
  const PageHead head{
      .title = fmt::format("stash: fleet plan for {}", plan.model),
      .verdict = fleet_plan_verdict(plan),
      .lines = {fmt::format("{} on {}, {} within {}; {} of {}", plan.model, plan.market,
                            fleet_percent_text(plan.objective.meet_ratio), format_duration(plan.objective.latency_s),
                            format_duration(plan.duration_s), plan.trace)},
      .alerts = {}};
  return html_page(head, {{"load", "Load and forecast", planned_load_body(plan)},
                          {"machines", "Machines", planned_machines_body(plan)},
                          {"types", "Why each machine is there", planned_types_body(plan)},
                          {"next", "What the next dollar buys", next_dollar_body(plan)},
                          {"costs", "What it costs", planned_costs_body(plan)},
                          {"hours", "By hour", planned_hours_body(plan)},
                          {"assumptions", "What was assumed", planned_assumptions_body(plan)}});
}

}  // namespace stash
