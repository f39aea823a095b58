#pragma once

#include <functional>
#include <vector>

namespace stash {

using Vector = std::vector<double>;

// The point that makes the sum of squares of `residuals` least, from `start`, by damped Gauss-Newton steps with
// differences for derivatives, so its coordinates should be of the order of 1. Stops when a step gains nothing; a
// coordinate that changes nothing stays as it is.
Vector least_squares(const std::function<Vector(const Vector&)>& residuals, Vector start);

}  // namespace stash
