#include "stash/fleet/forecast/lstm_forecast.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <map>
#include <numbers>
#include <string>
#include <vector>

#include "stash/catalog/csv.h"
#include "stash/core/error.h"
#include "stash/fleet/forecast/load_history.h"
#include "stash/fleet/market/embedded_market.h"

namespace stash {
namespace {

// As bench/fleet_lstm.py trains it.
constexpr std::size_t kLstmInputs = 5;
constexpr std::size_t kHidden = 16;
constexpr std::array kLstmAheads{1, 3, 5, 10, 20, 50};
constexpr std::array kLstmProbabilities{0.5, 0.9, 0.95, 0.99};

using Matrix = std::vector<std::vector<double>>;

class LstmWeights {
 public:
  LstmWeights() {
    for (const CsvRow& row : parse_csv(kFleetLstmCsv, "data/fleet_lstm.csv").rows) {
      std::vector<double> values;
      const char* at = row.fields[2].c_str();
      for (char* end = nullptr; *at != '\0'; at = end) {
        values.push_back(std::strtod(at, &end));
        if (end == at) throw Error(fmt::format("data/fleet_lstm.csv, line {}: a weight is no number", row.line));
        while (*end == ' ') ++end;
      }
      tensors_[row.fields[0]].push_back(std::move(values));
    }
    check("lstm.weight_ih_l0", 4 * kHidden, kLstmInputs);
    check("lstm.weight_hh_l0", 4 * kHidden, kHidden);
    check("lstm.bias_ih_l0", 4 * kHidden, 1);
    check("lstm.bias_hh_l0", 4 * kHidden, 1);
    check("out.weight", kLstmAheads.size() * kLstmProbabilities.size(), kHidden);
    check("out.bias", kLstmAheads.size() * kLstmProbabilities.size(), 1);
  }

  const Matrix& operator[](const std::string& name) const { return tensors_.at(name); }

 private:
  void check(const std::string& name, std::size_t rows, std::size_t columns) const {
    const auto found = tensors_.find(name);
    const bool fits = found != tensors_.end() && found->second.size() == rows &&
                      std::ranges::all_of(found->second, [&](const auto& row) { return row.size() == columns; });
    if (!fits) throw Error(fmt::format("data/fleet_lstm.csv lacks {}, {} rows of {}", name, rows, columns));
  }

  std::map<std::string, Matrix> tensors_;
};

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

double dot(const std::vector<double>& a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t i = 0; i < b.size(); ++i) sum += a[i] * b[i];
  return sum;
}

// Where `x` lies in ascending `points`: an index and how far it is towards the next.
template <class Points>
std::pair<std::size_t, double> place_in(const Points& points, double x) {
  if (x <= points.front()) return {0, 0};
  for (std::size_t i = 1; i < points.size(); ++i) {
    if (x <= points[i]) return {i - 1, (x - points[i - 1]) / static_cast<double>(points[i] - points[i - 1])};
  }
  return {points.size() - 2, 1};
}

class LstmForecast final : public LoadForecaster {
 public:
  explicit LstmForecast(double begin_min)
      : history_(begin_min),
        in_(weights_["lstm.weight_ih_l0"]),
        back_(weights_["lstm.weight_hh_l0"]),
        in_bias_(weights_["lstm.bias_ih_l0"]),
        back_bias_(weights_["lstm.bias_hh_l0"]),
        out_(weights_["out.weight"]),
        out_bias_(weights_["out.bias"]) {}

  std::string_view name() const override { return "lstm"; }

  void see(std::span<const LoadMinute> minutes) override {
    for (std::size_t i = history_.size(); i < minutes.size(); ++i) {
      history_.see(minutes.first(i + 1));
      step();
    }
  }

  double quantile(int ahead_min, double probability) const override {
    if (history_.size() == 0) return 0;
    const auto [a, a_ratio] = place_in(kLstmAheads, ahead_min);
    const auto [p, p_ratio] = place_in(kLstmProbabilities, probability);
    const double near = (1 - p_ratio) * output(a, p) + p_ratio * output(a, p + 1);
    const double far = (1 - p_ratio) * output(a + 1, p) + p_ratio * output(a + 1, p + 1);
    return history_.level(history_.size() - 1) * std::exp((1 - a_ratio) * near + a_ratio * far);
  }

 private:
  void step() {
    const std::size_t now = history_.size() - 1;
    const double angle = 2 * std::numbers::pi * (history_.minute_of_day(now) % 60) / 60;
    const std::array<double, kLstmInputs> x{history_.log_ratio(now), std::sin(angle), std::cos(angle),
                                            std::sin(2 * angle), std::cos(2 * angle)};
    std::array<double, 4 * kHidden> gates{};
    for (std::size_t i = 0; i < gates.size(); ++i) {
      gates[i] = in_bias_[i][0] + back_bias_[i][0] + dot(in_[i], x) + dot(back_[i], hidden_);
    }
    for (std::size_t i = 0; i < kHidden; ++i) {
      cell_[i] = sigmoid(gates[kHidden + i]) * cell_[i] + sigmoid(gates[i]) * std::tanh(gates[2 * kHidden + i]);
      hidden_[i] = sigmoid(gates[3 * kHidden + i]) * std::tanh(cell_[i]);
    }
  }

  double output(std::size_t ahead, std::size_t probability) const {
    const std::size_t row = ahead * kLstmProbabilities.size() + probability;
    return dot(out_[row], hidden_) + out_bias_[row][0];
  }

  LoadHistory history_;
  LstmWeights weights_;
  const Matrix &in_, &back_, &in_bias_, &back_bias_, &out_, &out_bias_;
  std::array<double, kHidden> hidden_{}, cell_{};
};

}  // namespace

std::unique_ptr<LoadForecaster> make_lstm_forecast(double begin_min) {
  return std::make_unique<LstmForecast>(begin_min);
}

}  // namespace stash
