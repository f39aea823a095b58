#include "stash/share/pool/live_curve.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace stash {
namespace {

// What holds a job back are workers that the loop waits for all the time, or that are busy all the time and are waited
// for at all.
constexpr double kWaitingRatio = 0.15;
constexpr double kBusyRatio = 0.92, kBusyWaitingRatio = 0.03;
constexpr double kTakenRatio = 0.05;        // of the time, that taking a batch needs where it is ready
constexpr std::size_t kSettledWindows = 3;  // with a new number of workers, before it tells what they are worth
constexpr std::size_t kSureWindows = 8;
constexpr std::size_t kKeptOnReturn = 3;  // windows of the last time that the workers were so many
constexpr std::size_t kMostCounts = 16;   // numbers of workers that are remembered
constexpr double kMostOverhead = 3;
constexpr double kIdleDeviation = 0.02;        // of a sample's time, where it is told by busy workers beside idle ones
constexpr double kDeviationPerWindow = 0.001;  // with which what was seen gets old
constexpr double kChangedRatio = 0.12;         // of a sample's time, after which what was seen before is scaled
constexpr double kLiveDoublingRatio = 0.03;

}  // namespace

double LiveCurve::rate(int workers) const {
  if (!cost_.is_known()) return ceiling_;
  return std::min(workers / cost_.sample_s(workers), ceiling_);
}

double LiveCurve::spread_ratio() const { return held_ > 0 ? 2 * present().recent.sum_spread_ratio() : 0; }
double LiveCurve::measured() const { return held_ > 0 ? present().recent.samples_per_s() : 0; }
double LiveCurve::worker_s() const { return held_ > 0 ? present().sample_s : 0; }

double LiveCurve::waiting_ratio() const {
  if (held_ == 0) return 0;
  const LoaderWindow sum = present().recent.sum();
  return std::min(sum.waited_s / sum.elapsed_s, 1.0);
}

bool LiveCurve::knows_bend() const {
  return std::ranges::count_if(seen_, [](const auto& entry) { return entry.second.recent.size() >= kSettledWindows; }) >
         1;
}

bool LiveCurve::is_settled() const { return held_ > 0 && present().windows >= static_cast<int>(kSettledWindows); }

void LiveCurve::change_workers(int workers) {
  held_ = workers;
  if (!seen_.contains(workers) && seen_.size() >= kMostCounts) {
    seen_.erase(std::ranges::min_element(seen_, {}, [](const auto& entry) { return entry.second.last_window; }));
  }
  Seen& now = seen_[workers];
  now.recent.keep_newest(kKeptOnReturn);
  now.windows = 0;
  now.settled_s = 0;
}

void LiveCurve::add(const LoaderWindow& window) {
  if (window.samples <= 0 || window.elapsed_s <= 0) return;
  if (window.workers != held_) change_workers(window.workers);
  ++windows_;
  Seen& now = seen_.at(held_);
  now.recent.add(window);
  now.last_window = windows_;
  ++now.windows;
  const LoaderWindow sum = now.recent.sum();
  const double busy = sum.busy_s / (sum.elapsed_s * sum.workers), waiting = sum.waited_s / sum.elapsed_s;
  bound_ = waiting >= kWaitingRatio || (busy >= kBusyRatio && waiting >= kBusyWaitingRatio);
  take_supply(now);
  take_change_of_cost(now);
  take_ceiling(now);
  fit();
}

void LiveCurve::take_supply(Seen& now) {
  const LoaderWindow sum = now.recent.sum();
  const double busy_s = sum.busy_s / sum.samples;
  const double whole_s = sum.workers * sum.elapsed_s / sum.samples;
  if (bound_ && busy_s > 0) overhead_ = std::clamp(whole_s / busy_s, 1.0, kMostOverhead);
  now.sample_s = bound_ ? whole_s : busy_s * overhead_;
  now.deviation = std::hypot(now.recent.sum_spread_ratio(), bound_ ? 0 : kIdleDeviation);
}

// A job whose samples become dearer has dearer ones with any number of workers.
void LiveCurve::take_change_of_cost(Seen& now) {
  if (now.windows < static_cast<int>(kSureWindows) || now.sample_s <= 0) return;
  if (now.settled_s <= 0) {
    now.settled_s = now.sample_s;
    return;
  }
  const double ratio = now.sample_s / now.settled_s;
  if (std::abs(std::log(ratio)) < std::max(kChangedRatio, 4 * now.deviation)) return;
  for (auto& [workers, other] : seen_) {
    if (workers != held_) other.sample_s *= ratio;
  }
  now.settled_s = now.sample_s;
}

void LiveCurve::take_ceiling(const Seen& now) {
  const LoaderWindow sum = now.recent.sum();
  const double measured = now.recent.samples_per_s();
  const double waited_s = sum.waited_s < kTakenRatio * sum.elapsed_s ? 0 : sum.waited_s;
  const double unhindered = sum.samples / std::max(sum.elapsed_s - waited_s, sum.elapsed_s * 1e-3);
  if (!bound_) {
    ceiling_ = unhindered;
    ceiling_seen_ = true;
  } else {
    ceiling_ = std::max(ceiling_seen_ ? ceiling_ : unhindered, measured);
  }
}

void LiveCurve::fit() {
  std::vector<CostPoint> points;
  for (const auto& [workers, seen] : seen_) {
    if (seen.sample_s <= 0 || (workers != held_ && seen.recent.size() < kSettledWindows)) continue;
    const double age = kDeviationPerWindow * (windows_ - seen.last_window);
    points.push_back({workers, seen.sample_s, std::hypot(seen.deviation, age)});
  }
  if (!points.empty()) cost_ = WorkerCost(points);
}

SupplyCurve curve_of_ranks(const std::vector<const LiveCurve*>& ranks, int min_workers, int most) {
  SupplyCurve curve;
  const auto count = static_cast<double>(ranks.size());
  curve.ranks = static_cast<int>(ranks.size());
  curve.min_workers = std::clamp(min_workers, 1, std::max(most, 1));
  double ceiling = kAllStorage, spread = 0;
  for (const LiveCurve* one : ranks) {
    ceiling = std::min(ceiling, one->ceiling());
    spread = std::max(spread, one->spread_ratio());
  }
  for (int workers = 1; workers <= std::max(most, 1); ++workers) {
    double slowest = kAllStorage;
    for (const LiveCurve* one : ranks) slowest = std::min(slowest, one->rate(workers));
    const double ratio = 1 + std::hypot(spread, kLiveDoublingRatio);
    curve.by_workers.push_back({slowest * count, slowest * count / ratio, slowest * count * ratio});
  }
  const double all = ceiling * count;
  curve.ceiling = {all, all / (1 + spread), all * (1 + spread)};
  return curve;
}

}  // namespace stash
