#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "stash/core/units.h"
#include "stash/report/columns.h"
#include "stash/report/printable.h"
#include "stash/report/study.h"

namespace stash {

namespace {

constexpr int kHeight = 16;
constexpr int kWidth = 2 * kHeight;  // a character is twice as high as wide
constexpr int kMargin = 12;          // the times at the left, and the axis

// What a place shows; the later one covers the earlier.
enum Mark { kNothing, kSame, kFitted, kHeldOut };
constexpr std::array<std::string_view, 4> kUnicode{" ", "·", "○", "●"};
constexpr std::array<std::string_view, 4> kAscii{" ", ".", "o", "#"};

// Both axes begin at 0 and end at the longest stall.
class Plot {
 public:
  explicit Plot(double longest_s) : longest_s_(longest_s), marks_(kHeight * kWidth, kNothing) {
    for (int column = 0; column < kWidth; ++column) mark_place(column * kHeight / kWidth, column, kSame);
  }

  void put(double measured_s, double predicted_s, Mark mark) {
    mark_place(place(predicted_s, kHeight), place(measured_s, kWidth), mark);
  }

  std::string text(bool unicode) const {
    std::string text;
    for (int line = kHeight - 1; line >= 0; --line) {
      const bool labelled = line == kHeight - 1;
      text += fmt::format("  {:>8} {}", labelled ? format_duration(longest_s_) : "", unicode ? "│" : "|");
      for (int column = 0; column < kWidth; ++column) {
        text += (unicode ? kUnicode : kAscii)[marks_[static_cast<std::size_t>(line * kWidth + column)]];
      }
      text.erase(text.find_last_not_of(' ') + 1);
      text += '\n';
    }
    return text + axis(unicode);
  }

 private:
  int place(double s, int places) const {
    return std::clamp(static_cast<int>(std::lround(s / longest_s_ * (places - 1))), 0, places - 1);
  }

  void mark_place(int line, int column, Mark mark) {
    Mark& there = marks_[static_cast<std::size_t>(line * kWidth + column)];
    there = std::max(there, mark);
  }

  std::string axis(bool unicode) const {
    std::string line;
    for (int i = 0; i < kWidth; ++i) line += unicode ? "─" : "-";
    return fmt::format("  {:>8} {}{}\n{:>{}}0{:>{}}\n", "", unicode ? "└" : "+", line, "", kMargin,
                       format_duration(longest_s_), kWidth - 1);
  }

  double longest_s_;
  std::vector<Mark> marks_;
};

}  // namespace

std::string render_study_plot(const CommunicationStudy& study, const ReportOptions& options) {
  double longest_s = 0;
  for (const StudyCase& row : study.cases) longest_s = std::max({longest_s, row.observation.stall.s, row.predicted_s});
  if (!(longest_s > 0) || !std::isfinite(longest_s)) return "";
  Plot plot(longest_s);
  for (const StudyCase& row : study.cases) {
    plot.put(row.observation.stall.s, row.predicted_s, row.held_out ? kHeldOut : kFitted);
  }
  const auto& signs = options.unicode ? kUnicode : kAscii;
  const std::string text = fmt::format("\npredicted stall (upwards) against measured: {} fitted   {} held out\n{}",
                                       signs[kFitted], signs[kHeldOut], plot.text(options.unicode));
  return options.unicode ? text : to_ascii(text);
}

}  // namespace stash
