#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "stash/report/html/charts.h"

namespace stash {
namespace {

struct TimeUnit {
  double s;
  std::string_view name;
};

constexpr std::array kUnits{TimeUnit{3600, "h"}, TimeUnit{60, "min"}, TimeUnit{1, "s"}};
constexpr double kFewest = 2;  // of a unit, on an axis that is counted in it

double end_s(const BarRow& row) {
  double sum_s = 0;
  for (const BarSegment& segment : row.segments) sum_s += std::max(0.0, segment.value);
  return row.interval ? std::max(sum_s, row.interval->high) : sum_s;
}

TimeUnit unit_of(double longest_s) {
  const auto unit = std::ranges::find_if(kUnits, [&](const TimeUnit& one) { return longest_s >= kFewest * one.s; });
  return unit == kUnits.end() ? kUnits.back() : *unit;
}

}  // namespace

std::string time_bar_chart(std::string_view label, std::vector<BarRow> rows) {
  double longest_s = 0;
  for (const BarRow& row : rows) longest_s = std::max(longest_s, end_s(row));
  const TimeUnit unit = unit_of(longest_s);
  for (BarRow& row : rows) {
    for (BarSegment& segment : row.segments) segment.value /= unit.s;
    if (row.interval) row.interval = Whisker{row.interval->low / unit.s, row.interval->high / unit.s};
  }
  return bar_chart(label, rows, [&](double count) { return fmt::format("{:g} {}", count, unit.name); });
}

}  // namespace stash
