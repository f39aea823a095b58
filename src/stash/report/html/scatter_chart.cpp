#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "stash/report/html/axis.h"
#include "stash/report/html/charts.h"
#include "stash/report/html/escape.h"

namespace stash {

namespace {

constexpr double kTitleHeight = 34;  // the axis' title, and the number of a line at the top
constexpr int kYTicks = 4;
constexpr double kRoom = 0.03;  // of the range at either end, so that marks do not touch the edge
constexpr double kPointRadius = 4;
constexpr double kLetterWidth = 0.75;  // in percent of a page on a screen, about
constexpr double kNameHeight = 12;

struct Extent {
  double low = std::numeric_limits<double>::max();
  double high = std::numeric_limits<double>::lowest();
  void take(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
};

struct NameBox {
  double left;  // percent
  double y;     // of its base line
  double width;
};

bool overlap(const NameBox& one, const NameBox& other) {
  return one.left < other.left + other.width && other.left < one.left + one.width &&
         std::abs(one.y - other.y) < kNameHeight;
}

class Drawing {
 public:
  Drawing(const ChartPlane& plane, std::span<const Point> points, std::span<const Curve> curves)
      : plane_(plane),
        svg_(plane.height + kTitleHeight + 2 * kAxisHeight, plane.label),
        bottom_(kTitleHeight + plane.height) {
    for (const Point& point : points) take(point);
    for (const Curve& curve : curves) {
      for (const auto& [x, y] : curve.points) x_extent_.take(x), y_extent_.take(y);
    }
    if (plane.y_from_zero) y_extent_.take(0);
  }

  std::string draw(std::span<const Point> points, std::span<const Curve> curves) {
    draw_axes();
    for (const Curve& curve : curves) draw_curve(curve);
    for (const Point& point : points) draw_point(point);
    return svg_.str();
  }

 private:
  void take(const Point& point) {
    x_extent_.take(point.x);
    y_extent_.take(point.y);
    if (point.interval && point.interval->low > 0) y_extent_.take(point.interval->low);
    if (point.interval) y_extent_.take(point.interval->high);
  }

  Scale scale(const Extent& extent) const {
    if (plane_.is_log) return Scale::logarithmic(extent.low, extent.high);
    const double room = (extent.high - extent.low) * kRoom;
    return Scale::linear(extent.low - room, extent.high + room);
  }
  double x(double value) const { return scale(x_extent_).percent(value); }
  double y(double value) const { return bottom_ - scale(y_extent_).percent(value) / 100 * plane_.height; }

  void draw_axes() {
    svg_.text(0, 12, plane_.y_title, Anchor::start, "axis");
    draw_x_axis(svg_, scale(x_extent_), kTitleHeight, bottom_, plane_.x_tick);
    svg_.text(100, bottom_ + kAxisHeight + 14, plane_.x_title, Anchor::end, "axis");
    for (const double value : scale(y_extent_).ticks(kYTicks)) {
      svg_.line(0, y(value), 100, y(value), "grid");
      svg_.text(0, y(value) - 3, plane_.y_tick(value), Anchor::start, "tick");
    }
  }

  void draw_curve(const Curve& curve) {
    for (std::size_t i = 1; i < curve.points.size(); ++i) {
      const auto& [x1, y1] = curve.points[i - 1];
      const auto& [x2, y2] = curve.points[i];
      svg_.line(x(x1), y(y1), x(x2), y(y2), "curve " + curve.classes);
    }
  }

  void draw_point(const Point& point) {
    if (point.interval) {
      svg_.line(x(point.x), y(point.interval->low), x(point.x), y(point.interval->high), "whisker");
    }
    svg_.circle(x(point.x), y(point.y), kPointRadius, "dot " + point.classes, point.tip);
    if (!point.name.empty()) draw_name(point);
  }

  // One that would lie over another is left out; the point's tip has it.
  void draw_name(const Point& point) {
    const Anchor anchor = anchor_at(x(point.x));
    const double width = kLetterWidth * static_cast<double>(point.name.size());
    const double before = anchor == Anchor::start ? 0 : anchor == Anchor::middle ? width / 2 : width;
    const NameBox box{x(point.x) - before, y(point.y) - kPointRadius - 4, width};
    if (std::ranges::any_of(names_, [&](const NameBox& other) { return overlap(box, other); })) return;
    names_.push_back(box);
    svg_.text(x(point.x), box.y, point.name, anchor, "name");
  }

  const ChartPlane& plane_;
  Svg svg_;
  double bottom_;
  Extent x_extent_, y_extent_;
  std::vector<NameBox> names_;  // that are drawn
};

}  // namespace

std::string scatter_chart(const ChartPlane& plane, std::span<const Point> points, std::span<const Curve> curves) {
  return Drawing(plane, points, curves).draw(points, curves);
}

std::string legend(std::span<const LegendEntry> entries) {
  std::string items;
  for (const auto& [classes, name] : entries) {
    items += fmt::format(
        "<li><svg width=\"12\" height=\"12\" aria-hidden=\"true\"><rect width=\"12\" height=\"12\" "
        "class=\"{}\"/></svg> {}</li>",
        classes, html_text(name));
  }
  return fmt::format("<ul class=\"legend\">{}</ul>\n", items);
}

}  // namespace stash
