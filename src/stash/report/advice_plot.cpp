#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "stash/advise/wording.h"
#include "stash/core/units.h"
#include "stash/report/advice.h"
#include "stash/report/columns.h"

namespace stash {

namespace {

constexpr int kHeight = 14;
constexpr int kNarrowest = 20;
constexpr int kWidest = 100;
constexpr int kMargin = 12;  // the costs at the left, and the axis

// What a place shows; the later one covers the earlier.
enum Mark { kNothing, kOther, kFront, kBest };
constexpr std::array<std::string_view, 4> kUnicode{" ", "·", "●", "◆"};
constexpr std::array<std::string_view, 4> kAscii{" ", ".", "o", "#"};
constexpr std::array<int, 4> kColors{0, 90, 32, 93};

// A logarithmic axis with `places` places; one value alone gets the middle.
class Axis {
 public:
  Axis(double low, double high, int places)
      : low_(std::log(low) - pad(low, high)), span_(std::log(high) + pad(low, high) - low_), places_(places) {}

  int place(double value) const {
    const double share = (std::log(value) - low_) / span_;
    return std::clamp(static_cast<int>(std::lround(share * (places_ - 1))), 0, places_ - 1);
  }
  double value(int place) const { return std::exp(low_ + span_ * place / (places_ - 1)); }

 private:
  static double pad(double low, double high) { return std::log(high / low) < 1e-6 ? 0.5 : 0; }

  double low_, span_;
  int places_;
};

class Plot {
 public:
  Plot(const std::vector<Option>& options, int width)
      : width_(width),
        times_(axis(options, width, [](const Option& option) { return option.time_s; })),
        costs_(axis(options, kHeight, [](const Option& option) { return *option.cost_usd; })),
        marks_(static_cast<std::size_t>(width * kHeight), kNothing) {}

  void put(const Option& option, Mark mark) {
    const int line = kHeight - 1 - costs_.place(*option.cost_usd);
    Mark& place = marks_[static_cast<std::size_t>(line * width_ + times_.place(option.time_s))];
    place = std::max(place, mark);
  }

  std::string text(const ReportOptions& options) const {
    std::string text;
    for (int line = 0; line < kHeight; ++line) {
      text += fmt::format("  {:>8} {}", cost_label(line), options.unicode ? "│" : "|");
      for (int column = 0; column < width_; ++column) text += sign(line, column, options);
      text.erase(text.find_last_not_of(' ') + 1);
      text += '\n';
    }
    return text + time_axis(options.unicode);
  }

 private:
  static Axis axis(const std::vector<Option>& options, int places, auto&& value_of) {
    const auto [low, high] = std::ranges::minmax_element(options, {}, value_of);
    return Axis(value_of(*low), value_of(*high), places);
  }

  // At the top, in the middle and at the bottom.
  std::string cost_label(int line) const {
    if (line != 0 && line != kHeight / 2 && line != kHeight - 1) return "";
    return format_usd(costs_.value(kHeight - 1 - line));
  }

  std::string sign(int line, int column, const ReportOptions& options) const {
    const Mark mark = marks_[static_cast<std::size_t>(line * width_ + column)];
    const std::string_view sign = options.unicode ? kUnicode[mark] : kAscii[mark];
    return options.color && mark != kNothing ? fmt::format("\x1b[{}m{}\x1b[0m", kColors[mark], sign)
                                             : std::string(sign);
  }

  std::string time_axis(bool unicode) const {
    std::string line;
    for (int i = 0; i < width_; ++i) line += unicode ? "─" : "-";
    return fmt::format("  {:>8} {}{}\n{:>{}}{}\n", "", unicode ? "└" : "+", line, "", kMargin, time_labels());
  }

  // At both ends and, where there is room, in the middle.
  std::string time_labels() const {
    const std::string left = format_duration(times_.value(0));
    const std::string middle = format_duration(times_.value(width_ / 2));
    const std::string right = format_duration(times_.value(width_ - 1));
    const int gap = width_ - static_cast<int>(characters(left) + characters(right));
    const int left_gap = (gap - static_cast<int>(characters(middle))) / 2;
    if (left_gap < 1) return fmt::format("{}{:>{}}{}", left, "", std::max(1, gap), right);
    const int right_gap = gap - static_cast<int>(characters(middle)) - left_gap;
    return fmt::format("{}{:>{}}{}{:>{}}{}", left, "", left_gap, middle, "", right_gap, right);
  }

  int width_;
  Axis times_, costs_;
  std::vector<Mark> marks_;
};

}  // namespace

std::string render_advice_plot(const Advice& advice, const ReportOptions& options) {
  const bool priced =
      std::ranges::all_of(advice.ranked, [](const Option& option) { return option.cost_usd.has_value(); });
  if (advice.ranked.empty() || !priced) return "";
  Plot plot(advice.ranked, std::clamp(options.width - kMargin, kNarrowest, kWidest));
  for (std::size_t i = 0; i < advice.ranked.size(); ++i) {
    plot.put(advice.ranked[i], advice.best == i ? kBest : advice.ranked[i].on_front ? kFront : kOther);
  }
  const auto& signs = options.unicode ? kUnicode : kAscii;
  return fmt::format("\n  cost against time: {} {}   {} no other is both faster and cheaper   {} others\n{}",
                     signs[kBest], advice.best ? "the best" : "none", signs[kFront], signs[kOther], plot.text(options));
}

}  // namespace stash
