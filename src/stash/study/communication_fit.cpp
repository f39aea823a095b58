#include "stash/study/communication_fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "stash/core/error.h"
#include "stash/core/least_squares.h"
#include "stash/core/statistics.h"
#include "stash/study/line_fit.h"

namespace stash {
namespace {

// A model of four numbers is off by about this share of a step, however long one measures: no profile may weigh as if
// it were known better.
constexpr double kModelError_ratio = 0.01;
constexpr double kUnbounded = std::numeric_limits<double>::infinity();
constexpr double kNormalHalfWidth = 1.96;  // standard deviations in half a 95 % interval

constexpr double kTypicalLatency_s = 1e-4;

// The stall has kinks where a bucket just hides, at which a search may end. It starts from several rates: from the one
// at which no communication was hidden (0) to the one at which the whole backward pass hid some (1).
constexpr std::array kHiddenStarts{0.0, 0.2, 0.4, 0.6, 0.8, 1.0};
constexpr std::array kLatencyStarts{0.3, 3.0};

// The time of a byte if nothing was hidden, and if the whole backward pass was used to hide; medians over the profiles.
struct ByteRange {
  double least_s = 0;
  double most_s = 0;
};

ByteRange byte_range(std::span<const Observation> observations) {
  constexpr double kQuickest_s = 1e-13;  // 10 TB/s: where nothing was seen of any link
  std::vector<double> least, most;
  for (const Observation& o : observations) {
    if (!(o.gradient_bytes > 0)) continue;
    const double shown_s = std::max(0.0, o.stall.s);
    least.push_back(std::max(kQuickest_s, shown_s / o.gradient_bytes));
    most.push_back(std::max(kQuickest_s, (shown_s + o.backward_s) / o.gradient_bytes));
  }
  return least.empty() ? ByteRange{kQuickest_s, kQuickest_s} : ByteRange{median(least), median(most)};
}

// Coordinates of the search are of the order of 1. Any value of them is one that a coefficient can have.
Communication at(const Vector& place, double most_byte_s) {
  const auto square = [&](std::size_t i) { return place[i] * place[i]; };
  return {.latency_s = kTypicalLatency_s * square(0),
          .s_per_byte = most_byte_s * square(1),
          .paired_ratio = 1 + square(2) / (1 + square(2)),
          .slowdown_ratio = square(3) / (1 + square(3))};
}

double deviation_s(const Observation& observation) {
  const double half_s = (observation.stall.high_s - observation.stall.low_s) / 2;
  return std::hypot(half_s / kNormalHalfWidth, kModelError_ratio * observation.step_s);
}

Vector residuals(std::span<const Observation> observations, const Communication& communication) {
  Vector result;
  for (const Observation& o : observations) {
    result.push_back((stall_s(o, communication) - o.stall.s) / deviation_s(o));
  }
  return result;
}

double sum_of_squares(const Vector& values) {
  double sum = 0;
  for (const double value : values) sum += value * value;
  return sum;
}

Communication best_fit(std::span<const Observation> observations) {
  const ByteRange bytes = byte_range(observations);
  const auto at_place = [&](const Vector& place) { return residuals(observations, at(place, bytes.most_s)); };
  Communication best;
  double least = kUnbounded;
  for (const double hidden : kHiddenStarts) {
    const double byte_start = std::pow(bytes.least_s / bytes.most_s, 1 - hidden);
    for (const double latency : kLatencyStarts) {
      const Vector place = least_squares(at_place, {latency, std::sqrt(byte_start), 1, 0.3});
      const double sum = sum_of_squares(at_place(place));
      if (!(sum < least)) continue;
      least = sum;
      best = at(place, bytes.most_s);
    }
  }
  return best;
}

constexpr int kCoefficients = 4;

// The jackknife: how much the fit moves when one profile is missing. Every coefficient takes a degree of freedom.
Coefficient coefficient(double value, const std::vector<double>& without_one, double least, double most) {
  const double count = static_cast<double>(without_one.size());
  const double center = mean(without_one);
  double sum = 0;
  for (const double other : without_one) sum += (other - center) * (other - center);
  const double half =
      student_t_quantile_975(static_cast<int>(count) - kCoefficients) * std::sqrt((count - 1) / count * sum);
  return {value, std::max(least, value - half), std::min(most, value + half)};
}

std::vector<Communication> fits_without_one(std::span<const Observation> observations) {
  std::vector<Communication> fits;
  for (std::size_t left_out = 0; left_out < observations.size(); ++left_out) {
    std::vector<Observation> others(observations.begin(), observations.end());
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(left_out));
    fits.push_back(best_fit(others));
  }
  return fits;
}

}  // namespace

Communication CommunicationFit::values() const {
  return {latency_s.value, s_per_byte.value, paired_ratio ? paired_ratio->value : 1, slowdown_ratio.value};
}

CommunicationFit fit_communication(std::span<const Observation> observations) {
  if (observations.size() < kFewestFitted) {
    throw Error(fmt::format("{} profiles to fit are too few: four coefficients with intervals take {}",
                            observations.size(), kFewestFitted));
  }
  const Communication best = best_fit(observations);
  const std::vector<Communication> others = fits_without_one(observations);
  const auto of = [&](double Communication::* member, double least = 0, double most = kUnbounded) {
    std::vector<double> values;
    for (const Communication& other : others) values.push_back(other.*member);
    return coefficient(best.*member, values, least, most);
  };
  std::vector<double> measured, predicted;
  for (const Observation& o : observations) {
    measured.push_back(o.stall.s);
    predicted.push_back(stall_s(o, best));
  }
  CommunicationFit fit{.latency_s = of(&Communication::latency_s),
                       .s_per_byte = of(&Communication::s_per_byte),
                       .slowdown_ratio = of(&Communication::slowdown_ratio, 0, 1),
                       .paired_ratio = std::nullopt,
                       .r_squared = r_squared(measured, predicted)};
  if (observations.front().in_flight > 1) fit.paired_ratio = of(&Communication::paired_ratio, 1, 2);
  return fit;
}

}  // namespace stash
