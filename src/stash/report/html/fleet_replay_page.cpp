#include "stash/report/html/fleet_replay_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "stash/core/units.h"
#include "stash/report/fleet_replay_report.h"
#include "stash/report/html/charts.h"
#include "stash/report/html/html_table.h"
#include "stash/report/html/markup.h"
#include "stash/report/html/page_frame.h"
#include "stash/report/html/time_chart.h"

namespace stash {
namespace {

constexpr std::array<std::string_view, 8> kColours{"series-1",     "series-2",  "series-3",     "series-4",
                                                   "part-network", "part-prep", "part-unsplit", "series-quiet"};
constexpr std::size_t kMostStretches = 400;  // of a chart; more are joined
constexpr double kHeadRoom = 1.0;

std::string colour(std::size_t i) { return std::string(kColours[std::min(i, kColours.size() - 1)]); }

// Points of a run, several joined to one where there are too many.
std::vector<ReplayPoint> joined_points(const ReplayResult& run) {
  const std::size_t each = (run.points.size() + kMostStretches - 1) / kMostStretches;
  std::vector<ReplayPoint> found;
  for (std::size_t i = 0; i < run.points.size(); i += each) {
    ReplayPoint sum = run.points[i];
    for (double& machines : sum.machines) machines *= sum.recorded_s;
    for (std::size_t j = i + 1; j < std::min(i + each, run.points.size()); ++j) {
      const ReplayPoint& one = run.points[j];
      sum.recorded_s += one.recorded_s;
      sum.requests += one.requests;
      sum.missed += one.missed;
      sum.usd += one.usd;
      for (std::size_t k = 0; k < sum.machines.size(); ++k) sum.machines[k] += one.machines[k] * one.recorded_s;
    }
    for (double& machines : sum.machines) machines = sum.recorded_s > 0 ? machines / sum.recorded_s : 0;
    found.push_back(std::move(sum));
  }
  return found;
}

// The same axis for all charts of the page.
TimePlane plane_of(const ReplayComparison& comparison, const std::vector<ReplayPoint>& points, std::string title) {
  const bool in_days = comparison.span.to_s - comparison.span.from_s > 36 * kSecondsPerHour;
  const double unit_s = in_days ? 86400 : kSecondsPerHour;
  TimePlane plane{.label = title, .y_title = std::move(title), .edges = {}, .x_tick = {}, .y_tick = {}};
  for (const ReplayPoint& point : points) plane.edges.push_back(point.from_s / unit_s);
  plane.edges.push_back(comparison.span.to_s / unit_s);
  const double begin_h = std::fmod(comparison.trace_begin_s, 86400) / kSecondsPerHour;
  plane.x_tick = [in_days, begin_h](double value) {
    if (in_days) return value == std::floor(value) ? fmt::format("day {:g}", value + 1) : std::string();
    const auto minute = std::llround((begin_h + value) * 60);
    return fmt::format("{:02}:{:02}", minute / 60 % 24, minute % 60);
  };
  plane.y_tick = [](double value) { return fmt::format("{:g}", value); };
  return plane;
}

template <class Value>
TimeLine time_line_of(std::string classes, const std::vector<ReplayPoint>& points, Value value) {
  TimeLine line{.classes = std::move(classes), .values = {}};
  for (const ReplayPoint& point : points) {
    line.values.push_back(point.recorded_s > 0 ? std::optional(value(point)) : std::nullopt);
  }
  return line;
}

std::vector<const PolicyReplay*> replayed_policies(const ReplayComparison& comparison) {
  std::vector<const PolicyReplay*> found;
  for (const PolicyReplay& one : comparison.policies) {
    if (!one.runs.empty()) found.push_back(&one);
  }
  return found;
}

std::string whole_interval(const SeedMean& value, std::string (*text)(double)) {
  return value.low ? fmt::format("{} to {}", text(std::max(0.0, *value.low)), text(*value.high)) : "–";
}

std::string policies_body(const ReplayComparison& comparison) {
  std::vector<BarRow> bars;
  HtmlTable table("Policies side by side", {"policy", "cost"});
  const bool has_seeds = replayed_policies(comparison).front()->runs.size() > 1;
  if (has_seeds) table.add_column("95 % of seeds");
  for (const char* const column :
       {"missed", "refused", "p50, ms", "p99, ms", "machine hours", "starts", "functions", "objective"}) {
    table.add_column(column);
  }
  const PolicyReplay* const best = comparison.cheapest_that_meets();
  for (const PolicyReplay* const policy : replayed_policies(comparison)) {
    const auto mean = [&](auto value) { return policy->over_seeds(value).mean; };
    const SeedMean usd = policy->over_seeds([](const ReplayResult& run) { return run.totals.usd; });
    double hours = 0;
    for (const TypeUse& use : policy->runs.front().types) hours += use.machine_hours;
    const double functions_usd = mean([](const ReplayResult& run) { return run.totals.functions_usd; });
    bars.push_back(
        {.label = policy->name,
         .figures = fmt::format("{}, {} missed", fleet_usd_text(usd.mean), fleet_percent_text(policy->missed_ratio())),
         .segments = {{std::max(0.0, usd.mean - functions_usd), comparison.meets(*policy) ? "series-1" : "series-quiet",
                       "machines " + fleet_usd_text(usd.mean - functions_usd)},
                      {functions_usd, "series-2", "functions " + fleet_usd_text(functions_usd)}},
         .interval = usd.low ? std::optional(Whisker{*usd.low, *usd.high}) : std::nullopt});
    std::vector<Cell> row{policy->name, Cell(fleet_usd_text(usd.mean), usd.mean)};
    if (has_seeds) row.emplace_back(whole_interval(usd, fleet_usd_text));
    const double refused = mean([](const ReplayResult& run) { return run.totals.refused_ratio(); });
    row.insert(
        row.end(),
        {Cell(fleet_percent_text(policy->missed_ratio()), policy->missed_ratio()),
         Cell(fleet_percent_text(refused), refused),
         number_cell(1e3 * mean([](const ReplayResult& run) { return run.totals.p50_s; }), 1),
         number_cell(1e3 * mean([](const ReplayResult& run) { return run.totals.p99_s; }), 1), number_cell(hours, 1),
         number_cell(mean([](const ReplayResult& run) { return static_cast<double>(run.totals.starts); }), 0),
         Cell(fleet_usd_text(functions_usd), functions_usd), Cell(comparison.meets(*policy) ? "met" : "not met")});
    table.add(std::move(row), policy == best ? "best" : "");
  }
  const std::vector<LegendEntry> names{{"series-1", "machines"},
                                       {"series-quiet", "machines of a policy that misses too much"},
                                       {"series-2", "functions"}};
  return figure(legend(names) + bar_chart("Cost by policy", bars, [](double usd) { return fleet_usd_text(usd); }),
                fmt::format("Cost of the whole trace. Missed requests are late, refused or lost; {} are allowed.",
                            fleet_percent_text(1 - comparison.objective.meet_ratio))) +
         table.str();
}

std::string load_body(const ReplayComparison& comparison) {
  const auto policies = replayed_policies(comparison);
  const PolicyReplay* forecasting = nullptr;
  for (const PolicyReplay* const one : policies) {
    const auto& points = one->runs.front().points;
    if (forecasting == nullptr &&
        std::ranges::any_of(points, [](const ReplayPoint& point) { return point.forecast.has_value(); })) {
      forecasting = one;
    }
  }
  const PolicyReplay& shown = forecasting != nullptr ? *forecasting : *policies.front();
  const std::vector<ReplayPoint> points = joined_points(shown.runs.front());
  std::vector<LegendEntry> names{{"series-1", "requests per second"}};
  std::vector<TimeBand> bands;
  if (forecasting != nullptr) {
    names.push_back({"series-2", fmt::format("forecast of {}, 5 to 95 %", shown.name)});
    TimeBand band{.classes = "band series-2", .values = {}};
    for (const ReplayPoint& point : points) {
      const bool has = point.forecast && point.recorded_s > 0;
      band.values.push_back(has ? std::optional(Whisker{point.forecast->p05 / 60, point.forecast->p95 / 60})
                                : std::nullopt);
    }
    bands.push_back(std::move(band));
  }
  const TimeLine load = time_line_of("series-1", points, [](const ReplayPoint& point) {
    return static_cast<double>(point.requests) / point.recorded_s;
  });
  return figure(legend(names) + time_chart(plane_of(comparison, points, "requests per second"), bands, {{load}}),
                fmt::format("Requests per second, mean of each {}. Holes of the recording are left out.",
                            format_duration(shown.runs.front().step_s)));
}

// The most machines that any policy had, so that pictures compare.
double most_machines(const ReplayComparison& comparison) {
  double most = kHeadRoom;
  for (const PolicyReplay* const policy : replayed_policies(comparison)) {
    for (const ReplayPoint& point : policy->runs.front().points) {
      double sum = 0;
      for (const double machines : point.machines) sum += machines;
      most = std::max(most, sum);
    }
  }
  return most;
}

std::string machines_body(const ReplayComparison& comparison) {
  std::vector<std::size_t> used;
  for (std::size_t i = 0; i < comparison.types.size(); ++i) {
    const bool is_used = std::ranges::any_of(comparison.policies, [&](const PolicyReplay& one) {
      return !one.runs.empty() && one.runs.front().types[i].machine_hours > 0;
    });
    if (is_used) used.push_back(i);
  }
  std::vector<LegendEntry> names;
  for (std::size_t i = 0; i < used.size(); ++i) names.push_back({colour(i), comparison.types[used[i]]});
  const double most = most_machines(comparison);
  std::string pictures = legend(names);
  HtmlTable table("Machines and their cost", {"policy and type", "hours", "of them spot", "cost", "starts"});
  for (const PolicyReplay* const policy : replayed_policies(comparison)) {
    const ReplayResult& run = policy->runs.front();
    const std::vector<ReplayPoint> points = joined_points(run);
    std::vector<TimeBand> bands;
    std::vector<double> below(points.size());
    for (std::size_t i = 0; i < used.size(); ++i) {
      TimeBand band{.classes = "area " + colour(i), .values = {}, .tip = comparison.types[used[i]]};
      for (std::size_t j = 0; j < points.size(); ++j) {
        const double top = below[j] + points[j].machines[used[i]];
        band.values.push_back(points[j].recorded_s > 0 ? std::optional(Whisker{below[j], top}) : std::nullopt);
        below[j] = top;
      }
      bands.push_back(std::move(band));
      const TypeUse& use = run.types[used[i]];
      if (use.machine_hours <= 0) continue;
      table.add({policy->name + ": " + use.type, number_cell(use.machine_hours, 1), number_cell(use.spot_hours, 1),
                 Cell(fleet_usd_text(use.usd), use.usd), number_cell(static_cast<double>(use.starts), 0)});
    }
    TimePlane plane = plane_of(comparison, points, fmt::format("{}: machines that are ready", policy->name));
    plane.y_most = most;
    plane.height = 90;
    pictures += time_chart(plane, bands, {});
  }
  return figure(pictures, "Machines by type, one picture for each policy, on one scale.") + table.str();
}

std::string time_body(const ReplayComparison& comparison) {
  std::vector<LegendEntry> names;
  std::vector<TimeLine> costs, misses;
  std::vector<ReplayPoint> points;
  const auto policies = replayed_policies(comparison);
  for (std::size_t i = 0; i < policies.size(); ++i) {
    points = joined_points(policies[i]->runs.front());
    names.push_back({colour(i), policies[i]->name});
    costs.push_back(time_line_of(
        colour(i), points, [](const ReplayPoint& point) { return point.usd / point.recorded_s * kSecondsPerHour; }));
    misses.push_back(time_line_of(colour(i), points, [](const ReplayPoint& point) {
      return point.requests > 0 ? 100 * static_cast<double>(point.missed) / static_cast<double>(point.requests) : 0;
    }));
  }
  TimePlane cost = plane_of(comparison, points, "dollars per hour"), miss = plane_of(comparison, points, "missed, %");
  return figure(legend(names) + time_chart(cost, {}, costs) + time_chart(miss, {}, misses),
                "Cost and misses over time.");
}

std::string decisions_body(const ReplayComparison& comparison) {
  std::string html;
  for (const PolicyReplay* const policy : replayed_policies(comparison)) {
    const ReplayResult& run = policy->runs.front();
    HtmlTable table(
        fmt::format("{}: {} decisions, {} changed the fleet", policy->name, run.decisions_made, run.decisions.size()),
        {"when", "machines", "why"});
    for (const ReplayDecision& one : run.decisions) {
      table.add({fleet_moment_text(comparison, one.at_s), one.wanted, one.reason});
    }
    html += table.folded();
  }
  return html;
}

std::string assumptions_body(const ReplayComparison& comparison) {
  std::vector<std::pair<std::string, std::string>> rows;
  for (std::size_t i = 0; i < comparison.types.size(); ++i)
    rows.emplace_back(comparison.types[i], comparison.sources[i]);
  for (const PolicyReplay& one : comparison.policies) {
    if (one.price_ratio != 1) {
      rows.emplace_back(one.name,
                        fmt::format("a managed service: machines cost {:g} times their price", one.price_ratio));
    }
    if (!one.why_not.empty()) rows.emplace_back(one.name, "not replayed: " + one.why_not);
  }
  return paragraph(
             "Every request of the trace is routed to a device in weighted round robin, waits there for a batch by the "
             "rule of stash serve, and is answered, late, refused or lost. Machines are paid from their order to their "
             "end.") +
         facts(rows) + list(comparison.warnings);
}

}  // namespace

std::string render_fleet_replay_html(const ReplayComparison& comparison) {
  const PageHead head{.title = fmt::format("stash: fleet for {}", comparison.model),
                      .verdict = fleet_replay_verdict(comparison),
                      .lines = {fleet_replay_setting(comparison)},
                      .alerts = {}};
  if (replayed_policies(comparison).empty()) {
    return html_page(head, {{"assumptions", "What was assumed", assumptions_body(comparison)}});
  }
  return html_page(head, {{"policies", "Policies side by side", policies_body(comparison)},
                          {"load", "Load", load_body(comparison)},
                          {"machines", "Machines", machines_body(comparison)},
                          {"time", "Cost and misses over time", time_body(comparison)},
                          {"decisions", "Why the fleets changed", decisions_body(comparison)},
                          {"assumptions", "What was assumed", assumptions_body(comparison)}});
}

}  // namespace stash
