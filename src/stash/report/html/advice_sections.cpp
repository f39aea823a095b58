#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "stash/core/price.h"
#include "stash/core/units.h"
#include "stash/report/advice_rows.h"
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

std::string_view row_class(const Advice& advice, const AdviceRow& row) {
  if (advice.best == row.option) return "best tie";
  return advice.best && advice.ranked[row.option].group == advice.ranked[*advice.best].group ? "tie" : "";
}

std::string remarks_of(const Option& option) {
  std::string remarks = option.on_front ? "on the front" : "";
  if (option.prediction.links_known) return remarks;
  return remarks + (remarks.empty() ? "" : "; ") + "links not known";
}

Cell group_cell(const Option& option) {
  return option.group ? Cell{fmt::format("{}", *option.group), *option.group} : Cell{"–"};
}

std::string table_of(const Advice& advice) {
  const std::vector<AdviceRow> rows = advice_rows(advice);
  const bool asked = !advice.ranked.empty() && advice.ranked.front().meets_ratio;
  // What matters stands at the left: a phone shows the first columns.
  HtmlTable table("Machines, best first; those of one group are near-ties",
                  {"machine", "cost", "time", asked ? "meets" : "first", "group", "from", "to", "GPUs", "cloud",
                   "as good with", "remarks"});
  for (std::size_t i = 0; i < std::min(rows.size(), kMostAdviceRows); ++i) {
    const Option& option = advice.ranked[rows[i].option];
    const std::string& nodes = rows[i].other_nodes;
    table.add({name_of(option),
               option.cost_usd ? Cell{format_usd(*option.cost_usd), *option.cost_usd} : Cell{"–"},
               {format_duration(option.time_s), option.time_s},
               {probability_cell(rows[i].certainty_ratio), rows[i].certainty_ratio},
               group_cell(option),
               {format_duration(option.time_low_s), option.time_low_s},
               {format_duration(option.time_high_s), option.time_high_s},
               fmt::format("{} {}", option.prediction.gpus, option.prediction.gpu),
               option.prediction.cloud,
               nodes.empty() ? "" : nodes + " nodes",
               remarks_of(option)},
              row_class(advice, rows[i]));
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
          {"change", advice.best ? "What would change the advice" : "What it would take", changes},
          ledgers_section(best),
          rejected_section(advice.rejected)};
}

}  // namespace stash
