#include "stash/study/line_fit.h"

#include <vector>

#include "stash/core/statistics.h"

namespace stash {

std::optional<LineFit> fit_line(std::span<const double> x, std::span<const double> y) {
  const double mean_x = mean(x), mean_y = mean(y);
  double xx = 0, xy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xx += (x[i] - mean_x) * (x[i] - mean_x);
    xy += (x[i] - mean_x) * (y[i] - mean_y);
  }
  if (!(xx > 0)) return std::nullopt;
  LineFit line{.intercept = mean_y - xy / xx * mean_x, .slope = xy / xx, .r_squared = std::nullopt};
  std::vector<double> predicted;
  for (const double value : x) predicted.push_back(line.at(value));
  line.r_squared = r_squared(y, predicted);
  return line;
}

std::optional<double> r_squared(std::span<const double> measured, std::span<const double> predicted) {
  const double center = mean(measured);
  double residual = 0, total = 0;
  for (std::size_t i = 0; i < measured.size(); ++i) {
    residual += (measured[i] - predicted[i]) * (measured[i] - predicted[i]);
    total += (measured[i] - center) * (measured[i] - center);
  }
  return total > 0 ? std::optional(1 - residual / total) : std::nullopt;
}

}  // namespace stash
