#include "stash/share/pool/recent_windows.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace stash {
namespace {

constexpr double kSlack = 1.25;  // of clocks and of samples that were begun before
constexpr std::size_t kKeptWindows = 12;
// Disturbances only make a sample dearer, so what is usual is a little below the median of its cost.
constexpr double kUsualQuantile = 0.4;
constexpr double kLeastWidth = 0.05;     // of the cost around the usual one, as a logarithm: nothing nearer is left out
constexpr double kWidths = 3;            // standard deviations that belong to it
constexpr double kMostDisturbed = 0.49;  // of the windows
constexpr double kDeviationPerMad = 1.4826;  // of a normal distribution

double quantile(std::vector<double> values, double share) {
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
  std::ranges::nth_element(values, at);
  return *at;
}

// Which of the values belong together, and how far they spread.
struct Usual {
  explicit Usual(const std::vector<double>& values) : middle(quantile(values, kUsualQuantile)) {
    std::vector<double> off;
    for (const double value : values) off.push_back(std::abs(value - middle));
    deviation = kDeviationPerMad * quantile(std::move(off), 0.5);
  }
  bool holds(double value) const { return std::abs(value - middle) <= std::max(kWidths * deviation, kLeastWidth); }
  double middle = 0, deviation = 0;
};

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

void RecentWindows::add(const LoaderWindow& window) {
  windows_.push_back(window);
  keep_newest(kKeptWindows);
  summarize();
}

void RecentWindows::keep_newest(std::size_t count) {
  while (windows_.size() > count) windows_.pop_front();
}

double RecentWindows::samples_per_s() const { return sum_.elapsed_s > 0 ? sum_.samples / sum_.elapsed_s : 0; }

double RecentWindows::sum_spread_ratio() const {
  return spread_ / std::sqrt(static_cast<double>(std::max<std::size_t>(undisturbed_, 1)));
}

void RecentWindows::summarize() {
  std::vector<double> times, costs;  // of a sample, as logarithms
  for (const LoaderWindow& window : windows_) {
    times.push_back(std::log(window.elapsed_s / window.samples));
    costs.push_back(std::log(std::max(window.busy_s, 1e-9) / window.samples));
  }
  const Usual time(times), cost(costs);
  std::vector<bool> counts(windows_.size());
  for (std::size_t i = 0; i < windows_.size(); ++i) counts[i] = time.holds(times[i]) && cost.holds(costs[i]);
  // Where many differ, that is how the job loads: in bursts, for example.
  const auto disturbed = static_cast<double>(std::ranges::count(counts, false));
  if (disturbed > kMostDisturbed * static_cast<double>(counts.size())) counts.assign(counts.size(), true);
  add_up(counts);
  double squares = 0;
  const double middle = std::log(sum_.elapsed_s / sum_.samples);
  for (std::size_t i = 0; i < windows_.size(); ++i) squares += counts[i] ? std::pow(times[i] - middle, 2) : 0;
  spread_ = std::sqrt(squares / static_cast<double>(undisturbed_));
}

void RecentWindows::add_up(const std::vector<bool>& counts) {
  sum_ = {.workers = windows_.back().workers};
  undisturbed_ = 0;
  for (std::size_t i = 0; i < windows_.size(); ++i) {
    if (!counts[i]) continue;
    ++undisturbed_;
    sum_.elapsed_s += windows_[i].elapsed_s;
    sum_.samples += windows_[i].samples;
    sum_.waited_s += windows_[i].waited_s;
    sum_.busy_s += windows_[i].busy_s;
  }
}

}  // namespace stash
