#include "stash/fleet/traffic/scaled_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "stash/core/error.h"

namespace stash {
namespace {

constexpr std::size_t kMostRepeated = 20'000'000;

class Repeats {
 public:
  Repeats(double ratio, std::uint64_t seed) : whole_(std::floor(ratio)), rest_(ratio - whole_), random_(seed) {}

  std::uint32_t of(std::uint32_t requests) {
    double taken = whole_ * requests;
    if (rest_ > 0 && requests > 0) {
      taken += static_cast<double>(std::binomial_distribution<std::int64_t>(requests, rest_)(random_));
    }
    if (taken > static_cast<double>(std::numeric_limits<std::uint32_t>::max())) {
      throw UsageError(fmt::format("--scale makes {:g} requests of {} in one row: take less", taken, requests));
    }
    return static_cast<std::uint32_t>(taken);
  }

 private:
  double whole_, rest_;
  std::mt19937_64 random_;
};

void scale_timed(LoadTrace& trace, Repeats& repeats) {
  std::vector<TimedRequest> timed;
  std::ranges::fill(trace.requests, 0U);
  for (const TimedRequest& request : trace.timed) {
    const std::uint32_t times = repeats.of(1);
    if (timed.size() + times > kMostRepeated) {
      throw UsageError(fmt::format("--scale makes more than {} timed requests: take less", kMostRepeated));
    }
    timed.insert(timed.end(), times, request);
    const auto slot = static_cast<std::size_t>(request.at_s / trace.slot_s);
    trace.requests[std::min(slot, trace.requests.size() - 1)] += times;
  }
  trace.timed = std::move(timed);
}

}  // namespace

LoadTrace scaled_trace(LoadTrace trace, double ratio, std::uint64_t seed) {
  if (!(ratio > 0 && ratio <= 1e6))
    throw UsageError(fmt::format("--scale {:g} must be above 0, up to a million", ratio));
  if (ratio == 1) return trace;
  Repeats repeats(ratio, seed);
  if (!trace.timed.empty()) {
    scale_timed(trace, repeats);
    return trace;
  }
  for (std::uint32_t& requests : trace.requests) requests = repeats.of(requests);
  // Their bursts are as large in proportion, and no larger than their slots.
  for (std::size_t i = 0; i < trace.peak_5s.size(); ++i) {
    const double peak = std::min(ratio * trace.peak_5s[i], static_cast<double>(trace.requests[i]));
    trace.peak_5s[i] = static_cast<std::uint32_t>(peak);
  }
  return trace;
}

}  // namespace stash
