#include "stash/core/least_squares.h"

#include <cmath>
#include <cstddef>

namespace stash {
namespace {

constexpr int kSteps = 25;
constexpr int kDampings = 8;  // tries of a larger damping before a step is given up
constexpr double kDifference = 1e-4;
constexpr double kLeastGain = 1e-5;  // of the sum of squares

using Matrix = std::vector<Vector>;

double sum_of_squares(const Vector& values) {
  double sum = 0;
  for (double value : values) sum += value * value;
  return sum;
}

Matrix derivatives(const std::function<Vector(const Vector&)>& residuals, const Vector& at, const Vector& here) {
  Matrix columns;
  for (std::size_t i = 0; i < at.size(); ++i) {
    Vector moved = at;
    moved[i] += kDifference;
    Vector column = residuals(moved);
    for (std::size_t r = 0; r < column.size(); ++r) column[r] = (column[r] - here[r]) / kDifference;
    columns.push_back(std::move(column));
  }
  return columns;
}

double dot(const Vector& a, const Vector& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

// Gaussian elimination; the matrix is symmetric and, damped, positive definite.
Vector solve(Matrix a, Vector b) {
  const std::size_t n = b.size();
  for (std::size_t k = 0; k < n; ++k) {
    for (std::size_t i = k + 1; i < n; ++i) {
      const double factor = a[i][k] / a[k][k];
      for (std::size_t j = k; j < n; ++j) a[i][j] -= factor * a[k][j];
      b[i] -= factor * b[k];
    }
  }
  for (std::size_t k = n; k-- > 0;) {
    for (std::size_t j = k + 1; j < n; ++j) b[k] -= a[k][j] * b[j];
    b[k] /= a[k][k];
  }
  return b;
}

}  // namespace

Vector least_squares(const std::function<Vector(const Vector&)>& residuals, Vector at) {
  Vector here = residuals(at);
  double damping = 1e-3;
  for (int step = 0; step < kSteps; ++step) {
    const Matrix columns = derivatives(residuals, at, here);
    const std::size_t n = at.size();
    Matrix normal(n, Vector(n));
    Vector slope(n);
    for (std::size_t i = 0; i < n; ++i) {
      slope[i] = -dot(columns[i], here);
      for (std::size_t j = 0; j < n; ++j) normal[i][j] = dot(columns[i], columns[j]);
    }
    bool better = false, done = false;
    for (int attempt = 0; attempt < kDampings && !better; ++attempt) {
      Matrix damped = normal;
      for (std::size_t i = 0; i < n; ++i) damped[i][i] = normal[i][i] > 0 ? normal[i][i] * (1 + damping) : 1;
      Vector next = at;
      const Vector change = solve(damped, slope);
      for (std::size_t i = 0; i < n; ++i) next[i] += change[i];
      Vector there = residuals(next);
      const double before = sum_of_squares(here), after = sum_of_squares(there);
      better = after < before;
      damping *= better ? 0.3 : 4;
      if (!better) continue;
      done = before - after < kLeastGain * before;
      at = std::move(next);
      here = std::move(there);
    }
    if (!better || done) break;
  }
  return at;
}

}  // namespace stash
