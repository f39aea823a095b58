#include <fmt/format.h>

#include <algorithm>

#include "stash/core/price.h"
#include "stash/core/units.h"
#include "stash/report/html/charts.h"
#include "stash/report/html/html_table.h"
#include "stash/report/html/markup.h"
#include "stash/report/html/prediction_sections.h"

namespace stash {

namespace {

constexpr std::size_t kMostAdvicePoints = 400;
constexpr std::size_t kMostAdviceRows = 100;
constexpr std::size_t kMostLedgers = 8;

std::string name_of(const Option& option) {
  return fmt::format("{} x {}", option.prediction.nodes, option.prediction.instance);
}

// From the fastest to the cheapest.
Curve front_of(const Advice& advice) {
  Curve curve{"series-1", {}};
  for (const Option& option : advice.ranked) {
    if (option.on_front && option.cost_usd && option.time_s > 0 && *option.cost_usd > 0) {
      curve.points.emplace_back(option.time_s, *option.cost_usd);
    }
  }
  std::ranges::sort(curve.points);
  return curve;
}

std::string chart_of(const Advice& advice) {
  std::vector<Point> points;
  for (std::size_t i = 0; i < advice.ranked.size(); ++i) {
    const Option& option = advice.ranked[i];
    if (i >= kMostAdvicePoints && !option.on_front) continue;
    if (!option.cost_usd || !(option.time_s > 0) || !(*option.cost_usd > 0)) continue;
    const bool is_best = advice.best == i;
    points.push_back({option.time_s,
                      *option.cost_usd,
                      is_best           ? "series-2"
                      : option.on_front ? "series-1"
                                        : "series-quiet",
                      fmt::format("{}: {} ({} to {}), {}", name_of(option), format_duration(option.time_s),
                                  format_duration(option.time_low_s), format_duration(option.time_high_s),
                                  format_usd(*option.cost_usd)),
                      {},
                      is_best ? name_of(option) : ""});
  }
  if (points.empty()) return "";
  std::ranges::reverse(points);  // the best is drawn last, over the others
  const std::vector<LegendEntry> entries{
      {"series-2", "the best"}, {"series-1", "no other is both faster and cheaper"}, {"series-quiet", "others"}};
  const ChartPlane plane{.label = "Time against cost of the whole training",
                         .x_title = "time",
                         .y_title = "cost",
                         .x_tick = [](double s) { return format_duration(s); },
                         .y_tick = [](double usd) { return format_usd(usd); },
                         .is_log = true};
  const Curve front = front_of(advice);
  return figure(legend(entries) + scatter_chart(plane, points, std::span(&front, 1)),
                "Time against cost of the whole training, both logarithmic; the line is the front.");
}

std::string table_of(const Advice& advice) {
  HtmlTable table("Machines, best first",
                  {"machine", "cloud", "GPUs", "time", "from", "to", "cost", "first, %", "front"});
  for (std::size_t i = 0; i < std::min(advice.ranked.size(), kMostAdviceRows); ++i) {
    const Option& option = advice.ranked[i];
    table.add({name_of(option),
               option.prediction.cloud,
               fmt::format("{} {}", option.prediction.gpus, option.prediction.gpu),
               {format_duration(option.time_s), option.time_s},
               {format_duration(option.time_low_s), option.time_low_s},
               {format_duration(option.time_high_s), option.time_high_s},
               option.cost_usd ? Cell{format_usd(*option.cost_usd), *option.cost_usd} : Cell{"–"},
               number_cell(option.first_ratio * 100, 0),
               option.on_front ? "on the front" : ""},
              advice.best == i ? "best" : "");
  }
  return table.empty() ? "" : table.str();
}

}  // namespace

std::vector<Section> advice_sections(const Advice& advice) {
  std::vector<const Prediction*> best;
  for (std::size_t i = 0; i < std::min(advice.ranked.size(), kMostLedgers); ++i) {
    best.push_back(&advice.ranked[i].prediction);
  }
  const std::string changes = advice.would_change.empty() ? "" : list(advice.would_change);
  return {{"advice", "Time against cost", chart_of(advice) + table_of(advice)},
          {"change", advice.best ? "What would change the first place" : "What it would take", changes},
          ledgers_section(best),
          rejected_section(advice.rejected)};
}

}  // namespace stash
