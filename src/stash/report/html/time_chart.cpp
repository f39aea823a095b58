#include "stash/report/html/time_chart.h"

#include <fmt/format.h>

#include <algorithm>

#include "stash/report/html/axis.h"

namespace stash {
namespace {

constexpr double kTimeTitleHeight = 28;
constexpr int kTimeTicks = 3;
constexpr double kAcross = 1000;  // units of a path across the picture

class TimeDrawing {
 public:
  explicit TimeDrawing(const TimePlane& plane, double most)
      : plane_(plane),
        x_(Scale::linear(plane.edges.front(), plane.edges.back())),
        y_(Scale::linear(0, most > 0 ? most * 1.04 : 1)),
        svg_(plane.height + kTimeTitleHeight + kAxisHeight, plane.label) {}

  std::string draw(std::span<const TimeBand> bands, std::span<const TimeLine> lines) {
    const double bottom = kTimeTitleHeight + plane_.height;
    svg_.text(0, 12, plane_.y_title, Anchor::start, "axis");
    draw_x_axis(svg_, x_, kTimeTitleHeight, bottom, plane_.x_tick);
    for (const double value : y_.ticks(kTimeTicks)) {
      svg_.line(0, kTimeTitleHeight + y(value), 100, kTimeTitleHeight + y(value), "grid");
    }
    svg_.begin_stretched(kTimeTitleHeight, plane_.height, kAcross);
    for (const TimeBand& band : bands) svg_.path(band_path(band), band.classes, band.tip);
    for (const TimeLine& line : lines) svg_.path(line_path(line), "curve stretched " + line.classes, "");
    svg_.end_stretched();
    for (const double value : y_.ticks(kTimeTicks)) {
      svg_.text(0, kTimeTitleHeight + y(value) - 3, plane_.y_tick(value), Anchor::start, "tick");
    }
    return svg_.str();
  }

 private:
  double x(std::size_t edge) const { return x_.percent(plane_.edges[edge]) / 100 * kAcross; }
  double y(double value) const { return plane_.height * (1 - y_.percent(value) / 100); }

  std::string line_path(const TimeLine& line) const {
    std::string path;
    bool is_open = false;
    for (std::size_t i = 0; i < line.values.size(); ++i) {
      const auto& value = line.values[i];
      if (value) path += fmt::format("{}{:.1f},{:.1f}H{:.1f}", is_open ? "L" : "M", x(i), y(*value), x(i + 1));
      is_open = value.has_value();
    }
    return path;
  }

  std::string band_path(const TimeBand& band) const {
    std::string path;
    for (std::size_t i = 0; i < band.values.size();) {
      std::size_t end = i;
      while (end < band.values.size() && band.values[end]) ++end;
      if (end > i) {
        path += fmt::format("M{:.1f},{:.1f}", x(i), y(band.values[i]->high));
        for (std::size_t j = i; j < end; ++j) path += fmt::format("V{:.1f}H{:.1f}", y(band.values[j]->high), x(j + 1));
        for (std::size_t j = end; j-- > i;) path += fmt::format("V{:.1f}H{:.1f}", y(band.values[j]->low), x(j));
        path += "Z";
      }
      i = std::max(end, i + 1);
    }
    return path;
  }

  const TimePlane& plane_;
  Scale x_, y_;
  Svg svg_;
};

}  // namespace

std::string time_chart(const TimePlane& plane, std::span<const TimeBand> bands, std::span<const TimeLine> lines) {
  double most = plane.y_most.value_or(0);
  for (const TimeBand& band : bands) {
    for (const auto& value : band.values) most = std::max(most, value ? value->high : 0);
  }
  for (const TimeLine& line : lines) {
    for (const auto& value : line.values) most = std::max(most, value.value_or(0));
  }
  return TimeDrawing(plane, most).draw(bands, lines);
}

}  // namespace stash
