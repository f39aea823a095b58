#pragma once

#include <optional>
#include <span>

namespace stash {

// y = intercept + slope x, by least squares.
struct LineFit {
  double intercept = 0;
  double slope = 0;
  std::optional<double> r_squared;  // nullopt: all y are the same

  double at(double x) const { return intercept + slope * x; }
};

// nullopt where all x are the same. As many of the one as of the other, at least one.
std::optional<LineFit> fit_line(std::span<const double> x, std::span<const double> y);

// 1 less the share of the variance of `measured` that the residuals keep; nullopt where it has none.
std::optional<double> r_squared(std::span<const double> measured, std::span<const double> predicted);

}  // namespace stash
