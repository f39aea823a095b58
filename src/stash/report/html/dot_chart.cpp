#include <algorithm>
#include <limits>

#include "stash/report/html/axis.h"
#include "stash/report/html/chart_row.h"
#include "stash/report/html/charts.h"

namespace stash {

namespace {

constexpr double kDotsTop = 20;
constexpr double kDotsHeight = 18;
constexpr double kDotRadius = 3;
constexpr int kLanes = 4;  // neighbours stand on lanes of their own, so that equal values are seen
// Of a file that may hold any number, so that a page stays small; the table says how many there are.
constexpr std::size_t kMostDots = 80;

class Range {
 public:
  void take(double value) {
    low_ = std::min(low_, value);
    high_ = std::max(high_, value);
  }
  Scale scale() const { return low_ <= high_ ? Scale::linear(low_ - room(), high_ + room()) : Scale::linear(0, 1); }

 private:
  double room() const { return (high_ - low_) * 0.03; }

  double low_ = std::numeric_limits<double>::max(), high_ = std::numeric_limits<double>::lowest();
};

Scale scale_of(std::span<const DotRow> rows) {
  Range range;
  for (const DotRow& row : rows) {
    for (const Dot& dot : row.dots) range.take(dot.value);
    if (!row.interval) continue;
    range.take(row.interval->low);
    range.take(row.interval->high);
  }
  return range.scale();
}

void draw_dots(Svg& svg, const Scale& scale, const DotRow& row, double top) {
  const std::size_t stride = (row.dots.size() + kMostDots - 1) / kMostDots;
  for (std::size_t i = 0; i < row.dots.size(); i += std::max<std::size_t>(stride, 1)) {
    const double lane = static_cast<double>((i / std::max<std::size_t>(stride, 1)) % kLanes);
    const double y = top + kDotsTop + kDotRadius + lane * (kDotsHeight - 2 * kDotRadius) / (kLanes - 1);
    svg.circle(scale.percent(row.dots[i].value), y, kDotRadius, "dot " + row.classes, row.dots[i].tip);
  }
}

void draw_row(Svg& svg, const Scale& scale, const DotRow& row, double top) {
  draw_row_text(svg, row.label, row.figures, top);
  if (row.interval) {
    const double low = scale.percent(row.interval->low), high = scale.percent(row.interval->high);
    svg.rect(low, top + kDotsTop - 1, std::max(high - low, 0.2), kDotsHeight + 2, "band " + row.classes);
  }
  draw_dots(svg, scale, row, top);
  if (row.mean) {
    const double x = scale.percent(*row.mean);
    svg.line(x, top + kDotsTop - 3, x, top + kDotsTop + kDotsHeight + 3, "mean");
  }
}

}  // namespace

std::string dot_chart(std::string_view label, std::span<const DotRow> rows, const TickText& tick) {
  const double bottom = kChartRowHeight * static_cast<double>(rows.size());
  Svg svg(bottom + kAxisHeight, label);
  const Scale scale = scale_of(rows);
  draw_x_axis(svg, scale, 0, bottom, tick);
  for (std::size_t i = 0; i < rows.size(); ++i) draw_row(svg, scale, rows[i], kChartRowHeight * static_cast<double>(i));
  return svg.str();
}

}  // namespace stash
