#include "stash/report/bar.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <vector>

namespace stash {

namespace {

constexpr int kNarrowestBar = 20;
constexpr int kWidestBar = 100;
// By Part: a letter of its name, a shade that differs from its neighbours', an ANSI colour.
constexpr std::string_view kLetters = "COINYPF";
constexpr std::array<std::string_view, 7> kShades{"█", "░", "▓", "▒", "░", "▓", "▒"};
constexpr std::array<int, 7> kPartColors{32, 33, 31, 35, 36, 34, 93};
constexpr char kUnsplitLetter = '-';  // a base that is not `solo`
constexpr std::string_view kUnsplitShade = "─";
constexpr int kUnsplitColor = 90;

struct Segment {
  std::string_view name;
  char letter;
  std::string_view shade;
  int color;
  double s;
  int columns = 0;
};

// A part below 0 has no place in a bar.
std::vector<Segment> segments_of(const Ledger& ledger) {
  std::vector<Segment> segments;
  const auto& [base, base_time] = *ledger.step_by_condition.begin();
  if (base != Condition::solo) {
    segments.push_back({"not taken apart", kUnsplitLetter, kUnsplitShade, kUnsplitColor, base_time.s});
  }
  for (const Part part : kParts) {
    const auto i = static_cast<std::size_t>(part);
    if (ledger[part] && ledger[part]->s > 0) {
      segments.push_back({to_string(part), kLetters[i], kShades[i], kPartColors[i], ledger[part]->s});
    }
  }
  return segments;
}

// Ends are rounded, not widths, so that the columns sum to `width`.
void lay_out(std::vector<Segment>& segments, int width) {
  double total_s = 0;
  for (const Segment& segment : segments) total_s += segment.s;
  double sum_s = 0;
  int filled = 0;
  for (Segment& segment : segments) {
    sum_s += segment.s;
    const int end = static_cast<int>(std::lround(sum_s / total_s * width));
    segment.columns = end - filled;
    filled = end;
  }
}

std::string painted(const std::string& text, int color, bool use_color) {
  return use_color ? fmt::format("\x1b[{}m{}\x1b[0m", color, text) : text;
}

std::string blocks(const Segment& segment, const ReportOptions& options) {
  std::string text;
  for (int i = 0; i < segment.columns; ++i) {
    if (options.unicode) {
      text += options.color ? "█" : segment.shade;
    } else {
      text += segment.letter;
    }
  }
  return painted(text, segment.color, options.color);
}

}  // namespace

std::string render_bar(const Ledger& ledger, const ReportOptions& options) {
  if (!(ledger.step.s > 0) || ledger.step_by_condition.empty()) return "";
  std::vector<Segment> segments = segments_of(ledger);
  lay_out(segments, std::clamp(options.width - 2, kNarrowestBar, kWidestBar));
  std::string bar, letters, key;
  for (const Segment& segment : segments) {
    if (segment.columns > 0) {
      bar += blocks(segment, options);
      letters += fmt::format("{:<{}}", segment.letter, segment.columns);
      key += fmt::format("{}{} {} {:.0f} %", key.empty() ? "" : "   ", segment.letter, segment.name,
                         segment.s / ledger.step.s * 100);
    }
  }
  letters.erase(letters.find_last_not_of(' ') + 1);
  // Without Unicode the bar is made of the letters themselves.
  return fmt::format("  {}\n{}  {}\n", bar, options.unicode ? fmt::format("  {}\n", letters) : "", key);
}

}  // namespace stash
