#include "stash/predict/most_likely.h"

#include <cmath>

#include "stash/core/least_squares.h"
#include "stash/predict/work.h"

namespace stash {
namespace {

// A measured time counts as all but exact where factors are sought, so that it comes back; its own spread says how well
// they are known then.
constexpr double kSoughtSpread = 0.003;
constexpr double kLogDifference = 1e-4;
// A link that hides behind the computation changes nothing until it is much slower: the search starts there too.
constexpr double kStarts[] = {-2.5, -1, 1, 2.5};

using Logs = Vector;

Vector factors_of(const Logs& logs) {
  Vector factors;
  for (const double log : logs) factors.push_back(std::exp(log));
  return factors;
}

double log_off(const MeasuredTime& time, const Logs& logs) {
  return std::log(time.estimate_s(factors_of(logs)) / time.s);
}

// Far from what is expected, the next step as far costs no more than the one before: something may be set up wrongly.
double with_far_ends(double deviation) {
  return std::copysign(std::sqrt(2 * (std::sqrt(1 + deviation * deviation) - 1)), deviation);
}

Vector residuals(std::span<const double> spreads, std::span<const MeasuredTime> times, const Logs& logs) {
  Vector all;
  for (std::size_t i = 0; i < logs.size(); ++i) all.push_back(with_far_ends(logs[i] / spreads[i]));
  for (const MeasuredTime& time : times) all.push_back(log_off(time, logs) / kSoughtSpread);
  return all;
}

double sum_of_squares(const Vector& values) {
  double sum = 0;
  for (const double value : values) sum += value * value;
  return sum;
}

Logs best_logs(const std::function<Vector(const Vector&)>& off, std::size_t count) {
  Logs best = least_squares(off, Logs(count, 0));
  for (std::size_t i = 0; i < count; ++i) {
    for (const double start : kStarts) {
      Logs from(count, 0);
      from[i] = start;
      Logs found = least_squares(off, std::move(from));
      if (sum_of_squares(off(found)) < sum_of_squares(off(best))) best = std::move(found);
    }
  }
  return best;
}

// By Gauss and Jordan; the matrix is symmetric and positive definite.
std::vector<Vector> inverse(std::vector<Vector> a) {
  const std::size_t n = a.size();
  std::vector<Vector> result(n, Vector(n, 0));
  for (std::size_t i = 0; i < n; ++i) result[i][i] = 1;
  for (std::size_t k = 0; k < n; ++k) {
    const double pivot = a[k][k];
    for (std::size_t j = 0; j < n; ++j) a[k][j] /= pivot, result[k][j] /= pivot;
    for (std::size_t i = 0; i < n; ++i) {
      if (i == k) continue;
      const double factor = a[i][k];
      for (std::size_t j = 0; j < n; ++j) a[i][j] -= factor * a[k][j], result[i][j] -= factor * result[k][j];
    }
  }
  return result;
}

// What the prior and the measured times together say, as inverse variances.
std::vector<Vector> knowledge(std::span<const double> spreads, std::span<const MeasuredTime> times, const Logs& at) {
  const std::size_t n = at.size();
  std::vector<Vector> known;
  for (std::size_t i = 0; i < n; ++i) known.emplace_back(n, 0.0)[i] = 1 / (spreads[i] * spreads[i]);
  for (const MeasuredTime& time : times) {
    Vector slope;
    for (std::size_t i = 0; i < n; ++i) {
      Logs moved = at;
      moved[i] += kLogDifference;
      slope.push_back((log_off(time, moved) - log_off(time, at)) / kLogDifference / kMeasuredSpread);
    }
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) known[i][j] += slope[i] * slope[j];
    }
  }
  return known;
}

}  // namespace

std::vector<LikelyFactor> most_likely(std::span<const double> log_spreads, std::span<const MeasuredTime> times) {
  const Logs logs = best_logs([&](const Logs& at) { return residuals(log_spreads, times, at); }, log_spreads.size());
  const std::vector<Vector> variance = inverse(knowledge(log_spreads, times, logs));
  std::vector<LikelyFactor> factors;
  for (std::size_t i = 0; i < logs.size(); ++i) factors.push_back({std::exp(logs[i]), std::sqrt(variance[i][i])});
  return factors;
}

}  // namespace stash
