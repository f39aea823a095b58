#pragma once

#include <functional>
#include <vector>

namespace stash::bench {

using Vector = std::vector<double>;

// The point that makes the sum of squares of `residuals` least, from `start`, by damped Gauss-Newton steps with
// differences for derivatives. Stops when a step gains nothing.
Vector least_squares(const std::function<Vector(const Vector&)>& residuals, Vector start);

}  // namespace stash::bench
