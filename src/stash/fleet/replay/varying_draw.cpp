#include "stash/fleet/replay/varying_draw.h"

#include <cmath>

namespace stash {
namespace {

constexpr double kNormalQuantile95 = 1.6448536269514722;

}  // namespace

double draw_s(const VaryingTime& time, std::mt19937_64& random) {
  if (time.median_s <= 0) return 0;
  const double z = std::normal_distribution<double>()(random);
  if (time.p95_s <= time.median_s) return time.median_s;
  return time.median_s * std::exp(z * std::log(time.p95_s / time.median_s) / kNormalQuantile95);
}

double draw_s(const StartTime& start, std::mt19937_64& random) {
  const double machine_s = draw_s(start.machine, random), image_s = draw_s(start.image, random);
  const double weights_s = draw_s(start.weights, random), warmup_s = draw_s(start.warmup, random);
  return machine_s + image_s + weights_s + warmup_s;
}

}  // namespace stash
