#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace stash {

// The charts of every page, in one style. Each returns an <svg>; the caller puts its table beside it. Colours are
// classes of style.css: `part-compute`, `series-1`, ...
using TickText = std::function<std::string(double)>;
std::string tick_ms(double s);  // "20 ms"

struct Whisker {
  double low = 0;
  double high = 0;
};

// Horizontal bars. Segments stand beside each other from 0 on; what is below 0 has no place. The interval is drawn
// around the bar's end.
struct BarSegment {
  double value = 0;
  std::string classes;
  std::string tip;
};
struct BarRow {
  std::string label;
  std::string figures;  // at the right
  std::vector<BarSegment> segments;
  std::optional<Whisker> interval;
};
std::string bar_chart(std::string_view label, std::span<const BarRow> rows, const TickText& tick);
// Of seconds, on an axis of whole seconds, minutes or hours.
std::string time_bar_chart(std::string_view label, std::vector<BarRow> rows);

// Every value as a dot on its row's line, with the mean and its interval over them.
struct Dot {
  double value = 0;
  std::string tip;
};
struct DotRow {
  std::string label;
  std::string figures;
  std::string classes;
  std::vector<Dot> dots;
  std::optional<double> mean;
  std::optional<Whisker> interval;
};
std::string dot_chart(std::string_view label, std::span<const DotRow> rows, const TickText& tick);

// Points in a plane, and curves through them.
struct Point {
  double x = 0;
  double y = 0;
  std::string classes;
  std::string tip;
  std::optional<Whisker> interval;  // of y
  std::string name;                 // written beside it
};
struct Curve {
  std::string classes;
  std::vector<std::pair<double, double>> points;
};
struct ChartPlane {
  std::string label;
  std::string x_title, y_title;
  TickText x_tick, y_tick;
  bool is_log = false;
  bool y_from_zero = false;
  double height = 260;
};
std::string scatter_chart(const ChartPlane& plane, std::span<const Point> points, std::span<const Curve> curves);

// What the colours mean.
struct LegendEntry {
  std::string classes;
  std::string name;
};
std::string legend(std::span<const LegendEntry> entries);

}  // namespace stash
