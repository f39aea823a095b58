#include "stash/core/statistics.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <stdexcept>

namespace stash {

namespace {

// From here on the expansion around the normal distribution is exact to 1e-9, and cheaper than the series.
constexpr int kLargeDegrees = 200;

// Abramowitz and Stegun 26.7.5.
double expand_around_normal(int degrees) {
  const double z = kNormalQuantile975;
  const double z2 = z * z;
  const double n = degrees;
  const double g1 = (z2 + 1) * z / 4;
  const double g2 = ((5 * z2 + 16) * z2 + 3) * z / 96;
  const double g3 = (((3 * z2 + 19) * z2 + 17) * z2 - 15) * z / 384;
  return z + (g1 + (g2 + g3 / n) / n) / n;
}

}  // namespace

double mean(std::span<const double> values) {
  if (values.empty()) throw std::invalid_argument("mean of no values");
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

double sample_variance(std::span<const double> values) {
  if (values.size() < 2) throw std::invalid_argument("variance of fewer than two values");
  const double center = mean(values);
  double sum = 0;
  for (const double value : values) sum += (value - center) * (value - center);
  return sum / static_cast<double>(values.size() - 1);
}

double next_correlation(std::span<const double> values) {
  const double center = mean(values);
  double squares = 0, products = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double here = values[i] - center;
    squares += here * here;
    if (i > 0) products += here * (values[i - 1] - center);
  }
  return squares > 0 ? products / squares : 0;
}

double median(std::span<const double> values) {
  if (values.empty()) throw std::invalid_argument("median of no values");
  std::vector<double> sorted(values.begin(), values.end());
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
  std::nth_element(sorted.begin(), middle, sorted.end());
  if (sorted.size() % 2 == 1) return *middle;
  return std::midpoint(*std::max_element(sorted.begin(), middle), *middle);
}

double median_without(std::span<const double> sorted, std::size_t left_out) {
  const auto other = [&](std::size_t i) { return sorted[i < left_out ? i : i + 1]; };
  const std::size_t count = sorted.size() - 1;
  return std::midpoint(other((count - 1) / 2), other(count / 2));
}

double normal_below(double z) { return std::erfc(-z / std::numbers::sqrt2) / 2; }

double normal_quantile(double probability) {
  if (!(probability > 0 && probability < 1))
    throw std::invalid_argument("a quantile's probability is above 0, below 1");
  if (probability > 0.5) return -normal_quantile(1 - probability);  // the lower tail is the exact one
  double low = -39, high = 0;                                       // below it a double has no probability left
  while (high - low > 1e-13) {
    const double middle = std::midpoint(low, high);
    (normal_below(middle) < probability ? low : high) = middle;
  }
  return std::midpoint(low, high);
}

// The finite series for whole degrees (Abramowitz and Stegun 26.7.3 and 26.7.4).
double student_t_within(double t, int degrees) {
  if (degrees < 1) throw std::invalid_argument("Student's t needs at least one degree of freedom");
  const double angle = std::atan2(t, std::sqrt(static_cast<double>(degrees)));
  const double cosine = std::cos(angle);
  const bool odd = degrees % 2 == 1;
  double term = odd ? cosine : 1;
  double sum = degrees == 1 ? 0 : term;
  for (int k = odd ? 3 : 2; k <= degrees - 2; k += 2) {
    term *= cosine * cosine * (k - 1) / k;
    sum += term;
  }
  const double series = std::sin(angle) * sum;
  return odd ? 2 / std::numbers::pi * (angle + series) : series;
}

double student_t_quantile_975(int degrees) {
  if (degrees < 1) throw std::invalid_argument("Student's t needs at least one degree of freedom");
  if (degrees >= kLargeDegrees) return expand_around_normal(degrees);
  double low = kNormalQuantile975;  // every t quantile lies above the normal one
  double high = 13;                 // and at most at that of one degree, 12.706
  while (high - low > 1e-12 * high) {
    const double middle = std::midpoint(low, high);
    (student_t_within(middle, degrees) < 0.95 ? low : high) = middle;
  }
  return std::midpoint(low, high);
}

}  // namespace stash
