#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stash/report/html/charts.h"

namespace stash {

// Values that hold for a stretch of time each, as steps. nullopt: a gap.
struct TimeLine {
  std::string classes;
  std::vector<std::optional<double>> values;
};

// Filled between two values.
struct TimeBand {
  std::string classes;
  std::vector<std::optional<Whisker>> values;
  std::string tip{};
};

struct TimePlane {
  std::string label;
  std::string y_title;
  std::vector<double> edges;  // of the stretches: one more than values
  TickText x_tick, y_tick;
  std::optional<double> y_most{};  // else by the values
  double height = 160;
};

// Bands lie behind lines. A few hundred stretches take a few kilobytes.
std::string time_chart(const TimePlane& plane, std::span<const TimeBand> bands, std::span<const TimeLine> lines);

}  // namespace stash
