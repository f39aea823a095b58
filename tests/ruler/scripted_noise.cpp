#include "scripted_noise.h"

#include <cmath>
#include <numbers>

#include "stash/core/clock.h"

namespace stash {
namespace {

constexpr std::uint64_t kBatchPlaces = 1ull << 62, kHitPlaces = 1ull << 61, kSecondDraw = 1ull << 60;
constexpr std::uint64_t kStepsInRun = 1ull << 20;

std::uint64_t mix(std::uint64_t z) {  // splitmix64
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return z ^ (z >> 31);
}

}  // namespace

// In (0, 1).
double ScriptedChance::uniform(std::uint64_t place) const {
  const std::uint64_t drawn = mix(mix(noise_.seed * 0x9E3779B97F4A7C15ull) + (place + 1) * 0x9E3779B97F4A7C15ull);
  return (static_cast<double>(drawn >> 11) + 0.5) * 0x1p-53;
}

double ScriptedChance::normal(std::uint64_t place) const {
  const double radius = std::sqrt(-2 * std::log(uniform(place)));
  return radius * std::cos(2 * std::numbers::pi * uniform(place + kSecondDraw));
}

double ScriptedChance::varied_s(std::uint64_t place) const {
  constexpr double kSigma = 0.5;  // skewness 1.75
  double sum_s = 0;
  if (noise_.normal_s > 0) sum_s += noise_.normal_s * normal(place);
  if (noise_.skewed_s > 0) {
    const double mean = std::exp(kSigma * kSigma / 2);
    const double deviation = mean * std::sqrt(std::exp(kSigma * kSigma) - 1);
    sum_s += noise_.skewed_s * (std::exp(kSigma * normal(place)) - mean) / deviation;
  }
  return sum_s;
}

double ScriptedChance::step_s(std::uint64_t run, std::uint64_t step) const {
  return noise_.calm_ratio * varied_s(run * kStepsInRun + step);
}

double ScriptedChance::batch_s(std::uint64_t batch) const { return varied_s(kBatchPlaces + batch); }

double ScriptedChance::hit_s(std::uint64_t run) const {
  if (uniform(kHitPlaces + run) >= noise_.hit_probability) return 0;
  return noise_.hit_s * (1 + 4 * uniform(kHitPlaces + kSecondDraw + run));
}

double ScriptedChance::slowed(std::int64_t at_ns) const { return 1 + noise_.drift_ratio_per_s * seconds(at_ns); }

}  // namespace stash
