#include "stash/fleet/forecast/best_forecast.h"

#include <algorithm>
#include <deque>
#include <utility>

namespace stash {
namespace {

constexpr int kJudgedAhead_min = 10;
constexpr double kJudgedProbability = 0.95;
constexpr double kMemory = 1 - 1.0 / (2 * 1440);  // two days
constexpr double kNearlyAsGood = 1.25;

struct Judged {
  std::unique_ptr<LoadForecaster> forecaster;
  std::deque<double> coming;
  double loss = 0;
  double weight = 0;
};

class BestForecast final : public LoadForecaster {
 public:
  explicit BestForecast(std::vector<std::unique_ptr<LoadForecaster>> forecasters) {
    for (auto& one : forecasters) {
      const double weight = 1.0 / static_cast<double>(forecasters.size());
      judged_.push_back({.forecaster = std::move(one), .coming = {}, .weight = weight});
    }
  }

  std::string_view name() const override { return "best"; }

  void see(std::span<const LoadMinute> minutes) override {
    for (; seen_ < minutes.size(); ++seen_) {
      for (Judged& one : judged_) {
        judge(one, minutes[seen_]);
        one.forecaster->see(minutes.first(seen_ + 1));
        one.coming.push_back(one.forecaster->quantile(kJudgedAhead_min, kJudgedProbability));
      }
      choose();
    }
  }

  double quantile(int ahead_min, double probability) const override {
    double sum = 0;
    for (const Judged& one : judged_) {
      if (one.weight > 0) sum += one.weight * one.forecaster->quantile(ahead_min, probability);
    }
    return sum;
  }

 private:
  static void judge(Judged& one, const LoadMinute& minute) {
    if (one.coming.size() < kJudgedAhead_min) return;
    const double over = minute.requests - one.coming.front();
    one.coming.pop_front();
    if (minute.hole) return;
    one.loss = kMemory * one.loss + std::max(kJudgedProbability * over, (kJudgedProbability - 1) * over);
  }

  void choose() {
    const double least = std::ranges::min_element(judged_, {}, &Judged::loss)->loss;
    double sum = 0;
    for (Judged& one : judged_) sum += one.weight = one.loss <= kNearlyAsGood * least ? 1 : 0;
    for (Judged& one : judged_) one.weight /= sum;
  }

  std::vector<Judged> judged_;
  std::size_t seen_ = 0;
};

}  // namespace

std::unique_ptr<LoadForecaster> make_best_forecast(std::vector<std::unique_ptr<LoadForecaster>> forecasters) {
  return std::make_unique<BestForecast>(std::move(forecasters));
}

}  // namespace stash
