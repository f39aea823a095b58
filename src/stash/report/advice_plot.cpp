#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "stash/core/price.h"
#include "stash/core/units.h"
#include "stash/report/advice_report.h"
#include "stash/report/columns.h"
#include "stash/report/text_plot.h"

namespace stash {

namespace {

constexpr int kAdvicePlotHeight = 14;
constexpr int kNarrowestPlot = 20;
constexpr int kWidestPlot = 100;

enum OptionMark { kOther = 1, kFront, kBest };
constexpr PlotSigns kOptionSigns{{" ", "·", "●", "◆"}, {" ", ".", "o", "#"}, {0, 90, 32, 93}};

// A logarithmic axis with `places` places; one value alone gets the middle.
class LogAxis {
 public:
  LogAxis(double low, double high, int places)
      : low_(std::log(low) - pad(low, high)), span_(std::log(high) + pad(low, high) - low_), places_(places) {}

  int place(double value) const {
    const double share = (std::log(value) - low_) / span_;
    return std::clamp(static_cast<int>(std::lround(share * (places_ - 1))), 0, places_ - 1);
  }
  double value(int place) const { return std::exp(low_ + span_ * place / (places_ - 1)); }
  int places() const { return places_; }

 private:
  static double pad(double low, double high) { return std::log(high / low) < 1e-6 ? 0.5 : 0; }

  double low_, span_;
  int places_;
};

LogAxis log_axis(const std::vector<Option>& options, int places, auto&& value_of) {
  const auto [low, high] = std::ranges::minmax_element(options, {}, value_of);
  return LogAxis(value_of(*low), value_of(*high), places);
}

// At the top, in the middle and at the bottom.
std::string cost_label(const LogAxis& costs, int row) {
  const int top = costs.places() - 1;
  if (row != top && row != top - costs.places() / 2 && row != 0) return "";
  return format_usd(costs.value(row));
}

// At both ends and, where there is room, in the middle.
std::string time_labels(const LogAxis& times) {
  const int width = times.places();
  const std::string left = format_duration(times.value(0));
  const std::string middle = format_duration(times.value(width / 2));
  const std::string right = format_duration(times.value(width - 1));
  const int gap = width - static_cast<int>(characters(left) + characters(right));
  const int left_gap = (gap - static_cast<int>(characters(middle))) / 2;
  if (left_gap < 1) return fmt::format("{}{:>{}}{}", left, "", std::max(1, gap), right);
  const int right_gap = gap - static_cast<int>(characters(middle)) - left_gap;
  return fmt::format("{}{:>{}}{}{:>{}}{}", left, "", left_gap, middle, "", right_gap, right);
}

}  // namespace

std::string render_advice_plot(const Advice& advice, const ReportOptions& options) {
  const bool priced =
      std::ranges::all_of(advice.ranked, [](const Option& option) { return option.cost_usd.has_value(); });
  if (advice.ranked.empty() || !priced) return "";
  const int width = std::clamp(options.width - TextPlot::kMargin, kNarrowestPlot, kWidestPlot);
  const LogAxis times = log_axis(advice.ranked, width, [](const Option& option) { return option.time_s; });
  const LogAxis costs =
      log_axis(advice.ranked, kAdvicePlotHeight, [](const Option& option) { return *option.cost_usd; });
  TextPlot plot(width, kAdvicePlotHeight, kOptionSigns);
  for (std::size_t i = 0; i < advice.ranked.size(); ++i) {
    const Option& option = advice.ranked[i];
    plot.put(times.place(option.time_s), costs.place(*option.cost_usd),
             advice.best == i  ? kBest
             : option.on_front ? kFront
                               : kOther);
  }
  const auto& signs = kOptionSigns.shown(options);
  return fmt::format("\n  cost against time: {} {}   {} no other is both faster and cheaper   {} others\n{}",
                     signs[kBest], advice.best ? "the best" : "none", signs[kFront], signs[kOther],
                     plot.text(options, [&](int row) { return cost_label(costs, row); }, time_labels(times)));
}

}  // namespace stash
