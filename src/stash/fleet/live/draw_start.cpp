#include "stash/fleet/live/draw_start.h"

#include <cmath>

namespace stash {
namespace {

constexpr double kNormal95 = 1.6448536269514722;

double draw_part_s(const VaryingTime& time, std::mt19937_64& random) {
  if (!(time.median_s > 0) || !(time.p95_s > time.median_s)) return time.median_s;
  const double spread = std::log(time.p95_s / time.median_s) / kNormal95;
  return std::lognormal_distribution<double>(std::log(time.median_s), spread)(random);
}

}  // namespace

double draw_start_s(const StartTime& start, std::mt19937_64& random) {
  double sum_s = 0;
  for (const VaryingTime& part : {start.machine, start.image, start.weights, start.warmup}) {
    sum_s += draw_part_s(part, random);
  }
  return sum_s;
}

}  // namespace stash
