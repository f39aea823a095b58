#include "stash/serve/batching/arrival_rate.h"

#include <cmath>

#include "stash/core/clock.h"

namespace stash {
namespace {

// A count that fades by this time is of enough requests to be steady, and soon follows a change.
constexpr double kFade_s = 0.5;

}  // namespace

double ArrivalRate::decayed(std::int64_t now_ns) const {
  return weight_ * std::exp(-seconds(now_ns - last_ns_) / kFade_s);
}

void ArrivalRate::add(std::int64_t now_ns, int rows) {
  weight_ = decayed(now_ns) + rows;
  last_ns_ = now_ns;
}

double ArrivalRate::per_s(std::int64_t now_ns) const { return decayed(now_ns) / kFade_s; }

}  // namespace stash
