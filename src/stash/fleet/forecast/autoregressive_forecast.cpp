#include "stash/fleet/forecast/autoregressive_forecast.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <vector>

#include "stash/fleet/forecast/load_history.h"

namespace stash {
namespace {

constexpr std::array<std::size_t, 5> kLags{0, 1, 2, 4, 9};
constexpr std::size_t kInputs = kLags.size() + 3;  // constant, earlier hours, earlier days
constexpr std::array<int, 9> kAheads{1, 2, 3, 5, 10, 15, 20, 30, 50};
constexpr double kRidge = 1;
constexpr std::size_t kRefit_min = 60;
constexpr std::size_t kErrorsKept = 4 * 1440;
constexpr std::size_t kFewErrors = 120;
constexpr double kUnfittedRoom = 1.2;

using Inputs = std::array<double, kInputs>;

// Solves (A + ridge) x = b by Cholesky's method; A is symmetric and not negative.
Inputs solve(std::array<Inputs, kInputs> a, Inputs b) {
  for (std::size_t i = 0; i < kInputs; ++i) a[i][i] += kRidge;
  for (std::size_t j = 0; j < kInputs; ++j) {
    for (std::size_t k = 0; k < j; ++k) a[j][j] -= a[j][k] * a[j][k];
    a[j][j] = std::sqrt(a[j][j]);
    for (std::size_t i = j + 1; i < kInputs; ++i) {
      for (std::size_t k = 0; k < j; ++k) a[i][j] -= a[i][k] * a[j][k];
      a[i][j] /= a[j][j];
    }
  }
  for (std::size_t i = 0; i < kInputs; ++i) {
    for (std::size_t k = 0; k < i; ++k) b[i] -= a[i][k] * b[k];
    b[i] /= a[i][i];
  }
  for (std::size_t i = kInputs; i-- > 0;) {
    for (std::size_t k = i + 1; k < kInputs; ++k) b[i] -= a[k][i] * b[k];
    b[i] /= a[i][i];
  }
  return b;
}

struct AheadFit {
  std::array<Inputs, kInputs> products{};
  Inputs answers{};
  Inputs weights{};
  std::deque<double> errors;
  std::vector<double> sorted_errors;
};

class AutoregressiveForecast final : public LoadForecaster {
 public:
  explicit AutoregressiveForecast(double begin_min) : history_(begin_min) {}

  std::string_view name() const override { return "autoregressive"; }

  void see(std::span<const LoadMinute> minutes) override {
    for (std::size_t i = history_.size(); i < minutes.size(); ++i) {
      history_.see(minutes.first(i + 1));
      learn();
      if (i % kRefit_min == kRefit_min - 1) refit();
    }
  }

  double quantile(int ahead_min, double probability) const override {
    if (history_.size() == 0) return 0;
    const std::size_t now = history_.size() - 1;
    const auto nearest = std::ranges::min_element(kAheads, {}, [&](int a) { return std::abs(a - ahead_min); });
    const AheadFit& fit = fits_[static_cast<std::size_t>(nearest - kAheads.begin())];
    if (fit.sorted_errors.size() < kFewErrors) return history_.load(now) * (probability > 0.5 ? kUnfittedRoom : 1);
    const auto at = static_cast<std::size_t>(probability * static_cast<double>(fit.sorted_errors.size() - 1));
    const double ratio = expected(fit, inputs(now, static_cast<std::size_t>(*nearest))) + fit.sorted_errors[at];
    return history_.level(now) * std::exp(ratio);
  }

 private:
  static double expected(const AheadFit& fit, const Inputs& x) {
    double sum = 0;
    for (std::size_t i = 0; i < kInputs; ++i) sum += fit.weights[i] * x[i];
    return sum;
  }

  // Mean of the log ratio at `target` less 1, 2, ... times `period`, as far as it was known at `now`.
  double earlier(std::size_t now, std::size_t target, std::size_t period, std::size_t most) const {
    double sum = 0, count = 0;
    for (std::size_t k = 1; k <= most && k * period <= target; ++k) {
      const std::size_t i = target - k * period;
      if (i > now || !history_.is_recorded(i)) continue;
      sum += history_.log_ratio(i);
      ++count;
    }
    return count > 0 ? sum / count : 0;
  }

  Inputs inputs(std::size_t now, std::size_t ahead) const {
    Inputs x{};
    for (std::size_t i = 0; i < kLags.size(); ++i) x[i] = now >= kLags[i] ? history_.log_ratio(now - kLags[i]) : 0;
    x[kLags.size()] = 1;
    x[kLags.size() + 1] = earlier(now, now + ahead, 60, 24);
    x[kLags.size() + 2] = earlier(now, now + ahead, 1440, 7);
    return x;
  }

  void learn() {
    const std::size_t now = history_.size() - 1;
    if (!history_.is_recorded(now)) return;
    for (std::size_t k = 0; k < kAheads.size(); ++k) {
      const auto ahead = static_cast<std::size_t>(kAheads[k]);
      if (now < ahead || !history_.is_recorded(now - ahead)) continue;
      const Inputs x = inputs(now - ahead, ahead);
      const double y = std::log(history_.load(now) / history_.level(now - ahead));
      AheadFit& fit = fits_[k];
      fit.errors.push_back(y - expected(fit, x));
      if (fit.errors.size() > kErrorsKept) fit.errors.pop_front();
      for (std::size_t i = 0; i < kInputs; ++i) {
        for (std::size_t j = 0; j <= i; ++j) fit.products[i][j] += x[i] * x[j];
        fit.answers[i] += x[i] * y;
      }
    }
  }

  void refit() {
    for (AheadFit& fit : fits_) {
      fit.weights = solve(fit.products, fit.answers);
      fit.sorted_errors.assign(fit.errors.begin(), fit.errors.end());
      std::ranges::sort(fit.sorted_errors);
    }
  }

  LoadHistory history_;
  std::array<AheadFit, kAheads.size()> fits_;
};

}  // namespace

std::unique_ptr<LoadForecaster> make_autoregressive_forecast(double begin_min) {
  return std::make_unique<AutoregressiveForecast>(begin_min);
}

}  // namespace stash
