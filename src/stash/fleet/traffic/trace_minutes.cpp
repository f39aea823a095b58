#include "stash/fleet/traffic/trace_minutes.h"

#include <algorithm>
#include <cmath>

namespace stash {
namespace {

constexpr double kPeakDeviations = 3;

// What falls into [from_s, to_s), slots taken in part where they cross.
struct Share {
  double requests = 0;
  double hole_s = 0;
};

Share share_of(const LoadTrace& trace, double from_s, double to_s) {
  Share share;
  for (auto slot = static_cast<std::size_t>(from_s / trace.slot_s); slot < trace.requests.size(); ++slot) {
    const double begin_s = static_cast<double>(slot) * trace.slot_s;
    if (begin_s >= to_s) break;
    const double inside_s = std::min(to_s, begin_s + trace.slot_s) - std::max(from_s, begin_s);
    if (inside_s <= 0) continue;
    share.requests += trace.requests[slot] * inside_s / trace.slot_s;
    if (trace.is_hole(slot)) share.hole_s += inside_s;
  }
  return share;
}

double peak_of(const LoadTrace& trace, double from_s, double requests) {
  const auto slot = static_cast<std::size_t>(from_s / trace.slot_s);
  if (!trace.peak_5s.empty() && trace.slot_s == 60 && slot < trace.peak_5s.size()) return trace.peak_5s[slot];
  double peak = 0;
  if (trace.slot_s <= 5) {
    for (double s = from_s; s < from_s + 60; s += 5) peak = std::max(peak, share_of(trace, s, s + 5).requests);
    return peak;
  }
  return requests / 12 + kPeakDeviations * std::sqrt(requests / 12);
}

LoadMinute minute_at(const LoadTrace& trace, double from_s) {
  const Share share = share_of(trace, from_s, from_s + 60);
  return {.requests = share.requests,
          .peak_5s = peak_of(trace, from_s, share.requests),
          .hole = share.hole_s > 30};
}

}  // namespace

std::vector<LoadMinute> trace_minutes(const LoadTrace& trace, const TraceSpan& span) {
  std::vector<LoadMinute> minutes;
  for (double s = 0; s + 60 <= span.from_s; s += 60) minutes.push_back(minute_at(trace, s));
  return minutes;
}

LoadMinute first_minute(const LoadTrace& trace, double from_s) { return minute_at(trace, from_s); }

std::vector<bool> minute_holes(const LoadTrace& trace) {
  if (trace.holes.empty()) return {};
  std::vector<bool> holes;
  for (double s = 0; s < trace.duration_s(); s += 60) holes.push_back(share_of(trace, s, s + 60).hole_s > 30);
  return holes;
}

}  // namespace stash
