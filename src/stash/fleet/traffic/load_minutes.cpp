#include "stash/fleet/traffic/load_minutes.h"

#include <algorithm>
#include <cmath>

#include "stash/fleet/traffic/request_work.h"

namespace stash {
namespace {

constexpr double kMinute_s = 60;
// The largest of twelve normal values is on average this many deviations above the mean.
constexpr double kLargestOf12 = 1.63;

double independent_peak_5s(double requests) {
  const double five = requests / 12;
  return five + kLargestOf12 * std::sqrt(five);
}

LoadMinute minute_of_slots(const LoadTrace& trace, std::size_t begin, std::size_t end) {
  LoadMinute minute;
  std::size_t recorded = 0;
  for (std::size_t i = begin; i < end; ++i) {
    if (trace.is_hole(i)) continue;
    ++recorded;
    minute.requests += trace.requests[i];
  }
  minute.hole = recorded == 0;
  if (minute.hole) return minute;
  const double seconds = static_cast<double>(recorded) * trace.slot_s;
  minute.requests *= kMinute_s / seconds;
  const auto five = static_cast<std::size_t>(std::max(1.0, 5 / trace.slot_s));
  for (std::size_t i = begin; trace.slot_s <= 5 && i + five <= end; ++i) {
    double sum = 0;
    for (std::size_t j = i; j < i + five; ++j) sum += trace.requests[j];
    minute.peak_5s = std::max(minute.peak_5s, sum);
  }
  if (trace.slot_s > 5) minute.peak_5s = independent_peak_5s(minute.requests);
  return minute;
}

// Of slots that are longer than a minute.
void append_split(std::vector<LoadMinute>& minutes, const LoadTrace& trace, std::size_t slot) {
  const double requests = trace.requests[slot] * kMinute_s / trace.slot_s;
  const auto count = static_cast<std::size_t>(std::lround(trace.slot_s / kMinute_s));
  for (std::size_t i = 0; i < count; ++i) {
    minutes.push_back({.requests = requests, .peak_5s = independent_peak_5s(requests), .hole = trace.is_hole(slot)});
  }
}

void add_work(std::vector<LoadMinute>& minutes, const LoadTrace& trace) {
  const std::vector<float> work = request_work(trace);
  if (work.empty()) return;
  for (LoadMinute& one : minutes) one.work = 0;
  for (std::size_t i = 0; i < work.size(); ++i) {
    const auto minute = static_cast<std::size_t>(trace.timed[i].at_s / kMinute_s);
    if (minute < minutes.size()) *minutes[minute].work += work[i];
  }
}

std::vector<LoadMinute> counted_minutes(const LoadTrace& trace) {
  std::vector<LoadMinute> minutes;
  const std::size_t slots = trace.requests.size();
  if (trace.slot_s > kMinute_s) {
    for (std::size_t i = 0; i < slots; ++i) append_split(minutes, trace, i);
    return minutes;
  }
  const auto per_minute = static_cast<std::size_t>(std::lround(kMinute_s / trace.slot_s));
  for (std::size_t i = 0; i < slots; i += per_minute) {
    minutes.push_back(minute_of_slots(trace, i, std::min(slots, i + per_minute)));
    if (per_minute == 1 && !trace.peak_5s.empty()) minutes.back().peak_5s = trace.peak_5s[i];
  }
  return minutes;
}

}  // namespace

std::vector<LoadMinute> minutes_of(const LoadTrace& trace) {
  std::vector<LoadMinute> minutes = counted_minutes(trace);
  add_work(minutes, trace);
  return minutes;
}

}  // namespace stash
