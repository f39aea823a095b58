#include <algorithm>

#include "stash/report/html/axis.h"
#include "stash/report/html/chart_row.h"
#include "stash/report/html/charts.h"

namespace stash {

namespace {

constexpr double kBarTop = 20;
constexpr double kBarHeight = 16;

double end_of(const BarRow& row) {
  double end = 0;
  for (const BarSegment& segment : row.segments) end += std::max(segment.value, 0.0);
  return end;
}

double reach_of(const BarRow& row) { return std::max(end_of(row), row.interval ? row.interval->high : 0); }

void draw_interval(Svg& svg, const Scale& scale, const Whisker& interval, double middle) {
  const double low = scale.percent(interval.low), high = scale.percent(interval.high);
  svg.line(low, middle, high, middle, "whisker");
  svg.line(low, middle - 5, low, middle + 5, "whisker");
  svg.line(high, middle - 5, high, middle + 5, "whisker");
}

void draw_row(Svg& svg, const Scale& scale, const BarRow& row, double top) {
  draw_row_text(svg, row.label, row.figures, top);
  double value = 0;
  for (const BarSegment& segment : row.segments) {
    if (!(segment.value > 0)) continue;
    const double x = scale.percent(value);
    value += segment.value;
    svg.rect(x, top + kBarTop, scale.percent(value) - x, kBarHeight, segment.classes, segment.tip);
  }
  if (row.interval) draw_interval(svg, scale, *row.interval, top + kBarTop + kBarHeight / 2);
}

}  // namespace

std::string bar_chart(std::string_view label, std::span<const BarRow> rows, const TickText& tick) {
  double reach = 0, least = 0;
  for (const BarRow& row : rows) {
    reach = std::max(reach, reach_of(row));
    if (row.interval) least = std::min(least, row.interval->low);
  }
  const double bottom = kChartRowHeight * static_cast<double>(rows.size());
  Svg svg(bottom + kAxisHeight, label);
  const Scale scale = Scale::linear(std::max(least, -reach), reach);
  draw_x_axis(svg, scale, 0, bottom, tick);
  for (std::size_t i = 0; i < rows.size(); ++i) draw_row(svg, scale, rows[i], kChartRowHeight * static_cast<double>(i));
  return svg.str();
}

}  // namespace stash
