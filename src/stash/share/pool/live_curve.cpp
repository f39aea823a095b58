#include "stash/share/pool/live_curve.h"

#include <algorithm>
#include <cmath>

namespace stash {
namespace {

// Workers that are busy for this share of the time are what holds the job back; so are they where the loop waits for
// this share of it, since handing a batch over takes time too.
constexpr double kBusyRatio = 0.92;
constexpr double kWaitingRatio = 0.15;
constexpr double kNewestWeight = 0.2;  // at least, of a window: what is older than ten is forgotten
constexpr int kSettledWindows = 3;     // with a new number of workers, before it tells what they are worth
constexpr double kLeastBend = -0.05, kMostBend = 1.2;
constexpr double kMostOverhead = 3;
constexpr double kLiveDoublingRatio = 0.03;
constexpr double kSlack = 1.25;  // of clocks and of samples that were begun before

double mixed(double old, double next, double weight) { return old + weight * (next - old); }

}  // namespace

const char* doubt_of(const LoaderWindow& window) {
  const auto is_time = [](double s) { return std::isfinite(s) && s >= 0; };
  if (window.workers < 1 || window.workers > 1 << 16) return "its number of workers is out of range";
  if (!is_time(window.elapsed_s) || !is_time(window.waited_s) || !is_time(window.busy_s)) return "a time is below 0";
  if (!std::isfinite(window.samples) || window.samples < 0 || window.samples > 1e12)
    return "its samples are out of range";
  if (window.waited_s > window.elapsed_s * kSlack + 1) return "it waited longer than the time that it reports";
  if (window.busy_s > window.elapsed_s * window.workers * kSlack + window.workers) {
    return "its workers were busy for longer than the time that it reports";
  }
  return nullptr;
}

double LiveCurve::supply(int workers) const {
  if (worker_s_ <= 0) return kAllStorage;
  return workers / (worker_s_ * std::pow(static_cast<double>(workers) / held_, bend_));
}

double LiveCurve::rate(int workers) const { return std::min(supply(workers), ceiling_); }

double LiveCurve::spread_ratio() const {
  return 2 * std::sqrt(variance_ / std::max(1.0, std::min<double>(held_windows_, 1 / kNewestWeight)));
}

void LiveCurve::change_workers(int workers) {
  if (held_ > 0) {
    before_ = held_;
    before_worker_s_ = worker_s_;
    worker_s_ *= std::pow(static_cast<double>(workers) / held_, bend_);
  }
  held_ = workers;
  held_windows_ = 0;
}

void LiveCurve::add(const LoaderWindow& window) {
  if (window.samples <= 0 || window.elapsed_s <= 0) return;
  if (window.workers != held_) change_workers(window.workers);
  ++windows_;
  ++held_windows_;
  const double weight = std::max(1.0 / held_windows_, kNewestWeight);
  const double rate = window.samples / window.elapsed_s;
  const double busy = window.busy_s / (window.elapsed_s * window.workers);
  const double waiting = std::min(window.waited_s / window.elapsed_s, 1.0);
  const bool bound = busy >= kBusyRatio || waiting >= kWaitingRatio;
  if (held_windows_ > 1 && measured_ > 0) {
    variance_ = mixed(variance_, std::pow(rate / measured_ - 1, 2), std::max(1.0 / windows_, kNewestWeight / 2));
  }
  bound_ = bound;
  measured_ = mixed(measured_, rate, weight);
  waiting_ = mixed(waiting_, waiting, weight);
  take_supply(window, rate, bound, weight);
  take_ceiling(window, rate, bound, weight);
}

void LiveCurve::take_supply(const LoaderWindow& window, double rate, bool bound, double weight) {
  const double busy_s = window.busy_s / window.samples;
  const double whole_s = window.workers / rate;
  if (bound && busy_s > 0) overhead_ = mixed(overhead_, std::clamp(whole_s / busy_s, 1.0, kMostOverhead), weight);
  const double now_s = bound ? whole_s : busy_s * overhead_;
  worker_s_ = worker_s_ > 0 ? mixed(worker_s_, now_s, weight) : now_s;
  if (held_windows_ != kSettledWindows || !before_ || before_worker_s_ <= 0 || worker_s_ <= 0) return;
  const double bend = std::log(worker_s_ / before_worker_s_) / std::log(static_cast<double>(held_) / *before_);
  knows_bend_ = true;
  bend_ = std::clamp(mixed(bend_, bend, 0.5), kLeastBend, kMostBend);
}

void LiveCurve::take_ceiling(const LoaderWindow& window, double rate, bool bound, double weight) {
  if (!bound) {
    ceiling_ = ceiling_seen_ ? mixed(ceiling_, rate, weight) : rate;
    ceiling_seen_ = true;
  } else if (ceiling_seen_) {
    ceiling_ = std::max(ceiling_, measured_);
  } else {
    const double free_s = std::max(window.elapsed_s - window.waited_s, window.elapsed_s * 1e-3);
    const double most = window.samples / free_s;
    ceiling_ = std::max(ceiling_ > 0 ? mixed(ceiling_, most, weight) : most, measured_);
  }
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
