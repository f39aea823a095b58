#include "stash/fleet/live/load_book.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "stash/core/error.h"

namespace stash {
namespace {

constexpr double kMinute_s = 60;
constexpr double kWindow_s = 5;
constexpr double kLeastStep_s = 1e-3;
constexpr double kStepRatio = 1.05;
constexpr std::size_t kSteps = 250;         // to 198 s
constexpr double kMostMinutes = 5'256'000;  // ten years
// A minute of which less is known does not say what its load was.
constexpr double kMostUnknown_s = 10;

}  // namespace

void LatencyCounts::add(double s) {
  const double step = s <= kLeastStep_s ? 0 : std::ceil(std::log(s / kLeastStep_s) / std::log(kStepRatio));
  counts.resize(kSteps);
  ++counts[static_cast<std::size_t>(std::min(step, static_cast<double>(kSteps - 1)))];
  sum_s += s;
  ++number;
}

std::optional<double> LatencyCounts::percentile(double ratio) const {
  if (number == 0) return std::nullopt;
  const auto rank = static_cast<std::uint64_t>(ratio * static_cast<double>(number));
  std::uint64_t seen = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    seen += counts[i];
    if (seen > rank) return kLeastStep_s * std::pow(kStepRatio, static_cast<double>(i));
  }
  return kLeastStep_s * std::pow(kStepRatio, static_cast<double>(counts.size()));
}

std::optional<double> LatencyCounts::mean_s() const {
  if (number == 0) return std::nullopt;
  return sum_s / static_cast<double>(number);
}

std::size_t LoadBook::minute_at(double s) {
  const double minute = std::clamp(std::floor(s / kMinute_s), 0.0, kMostMinutes);
  const auto index = static_cast<std::size_t>(minute);
  if (index >= minutes_.size()) {
    minutes_.resize(index + 1);
    details_.resize(index + 1);
  }
  return index;
}

void LoadBook::count(double at_s, double requests, double missed) {
  const std::size_t index = minute_at(at_s);
  LoadMinute& minute = minutes_[index];
  minute.requests += requests * speed_;
  minute.missed += missed * speed_;
  const double within_s = std::clamp(at_s - static_cast<double>(index) * kMinute_s, 0.0, kMinute_s - 1e-6);
  Detail& detail = details_[index];
  double& window = detail.windows[static_cast<std::size_t>(within_s / kWindow_s)];
  window += requests * speed_;
  detail.peak = std::max(detail.peak, window);
  // A fast clock sees fewer requests in a window, which vary more about their mean than those of the rate it stands
  // for.
  const double mean = minute.requests / static_cast<double>(detail.windows.size());
  minute.peak_5s = mean + std::max(0.0, detail.peak - mean) / std::sqrt(speed_);
}

void LoadBook::add_request(double at_s, double latency_s, RequestEnd end) {
  count(at_s, 1, end == RequestEnd::served ? 0 : 1);
  switch (end) {
    case RequestEnd::served:
      ++totals_.served;
      break;
    case RequestEnd::late:
      ++totals_.late;
      break;
    case RequestEnd::refused:
      ++totals_.refused;
      break;
    case RequestEnd::failed:
      ++totals_.failed;
      break;
  }
  if (end == RequestEnd::served || end == RequestEnd::late) latencies_.add(latency_s);
}

void LoadBook::add(double from_s, double to_s, const LoadCounts& counts) {
  for (const double one : {counts.served, counts.late, counts.refused, counts.failed}) {
    if (!(std::isfinite(one) && one >= 0)) throw Error(fmt::format("the load is said to be {} requests", one));
  }
  totals_.served += counts.served;
  totals_.late += counts.late;
  totals_.refused += counts.refused;
  totals_.failed += counts.failed;
  const double span_s = std::max(to_s - from_s, 1e-6);
  for (double at_s = from_s; at_s < to_s;) {
    const double end_s = std::min(to_s, (std::floor(at_s / kWindow_s) + 1) * kWindow_s);
    const double share = (end_s - at_s) / span_s;
    count(at_s, counts.all() * share, counts.missed() * share);
    at_s = end_s;
  }
}

void LoadBook::note_unknown(double from_s, double to_s) {
  for (double at_s = std::max(from_s, 0.0); at_s < to_s;) {
    const std::size_t index = minute_at(at_s);
    const double end_s = std::min(to_s, static_cast<double>(index + 1) * kMinute_s);
    if (end_s <= at_s) return;  // beyond the last minute that is counted
    details_[index].unknown_s += end_s - at_s;
    minutes_[index].hole = details_[index].unknown_s > kMostUnknown_s;
    at_s = end_s;
  }
}

std::span<const LoadMinute> LoadBook::minutes(double now_s) {
  const std::size_t over = minute_at(now_s);
  return std::span<const LoadMinute>(minutes_).first(over);
}

double LoadBook::rate_per_s(double now_s, double span_s) const {
  double requests = 0;
  double known_s = 0;
  for (double at_s = std::floor(now_s / kWindow_s - 1) * kWindow_s; at_s >= 0 && known_s < span_s; at_s -= kWindow_s) {
    const auto index = static_cast<std::size_t>(at_s / kMinute_s);
    if (index < details_.size()) {
      requests += details_[index].windows[static_cast<std::size_t>(std::fmod(at_s, kMinute_s) / kWindow_s)];
    }
    known_s += kWindow_s;
  }
  return known_s > 0 ? requests / known_s : 0;
}

void LoadBook::resume(std::vector<LoadMinute> minutes, const LoadCounts& totals, LatencyCounts latencies) {
  minutes_ = std::move(minutes);
  details_.assign(minutes_.size(), {});
  totals_ = totals;
  latencies_ = std::move(latencies);
}

}  // namespace stash
