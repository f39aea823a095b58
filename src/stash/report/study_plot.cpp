#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "stash/core/units.h"
#include "stash/report/printable.h"
#include "stash/report/study.h"
#include "stash/report/text_plot.h"

namespace stash {

namespace {

constexpr int kStudyPlotHeight = 16;
constexpr int kStudyPlotWidth = 2 * kStudyPlotHeight;  // a character is twice as high as wide

enum CaseMark { kSame = 1, kFitted, kHeldOut };
constexpr PlotSigns kCaseSigns{{" ", "·", "○", "●"}, {" ", ".", "o", "#"}};

// Both axes begin at 0 and end at the longest stall.
int place_of(double s, double longest_s, int places) {
  return std::clamp(static_cast<int>(std::lround(s / longest_s * (places - 1))), 0, places - 1);
}

TextPlot diagonal() {
  TextPlot plot(kStudyPlotWidth, kStudyPlotHeight, kCaseSigns);
  for (int column = 0; column < kStudyPlotWidth; ++column) {
    plot.put(column, column * kStudyPlotHeight / kStudyPlotWidth, kSame);
  }
  return plot;
}

}  // namespace

std::string render_study_plot(const CommunicationStudy& study, const ReportOptions& options) {
  double longest_s = 0;
  for (const StudyCase& row : study.cases) longest_s = std::max({longest_s, row.observation.stall.s, row.predicted_s});
  if (!(longest_s > 0) || !std::isfinite(longest_s)) return "";
  TextPlot plot = diagonal();
  for (const StudyCase& row : study.cases) {
    plot.put(place_of(row.observation.stall.s, longest_s, kStudyPlotWidth),
             place_of(row.predicted_s, longest_s, kStudyPlotHeight), row.held_out ? kHeldOut : kFitted);
  }
  const std::string longest = format_duration(longest_s);
  const auto row_label = [&](int row) { return row == kStudyPlotHeight - 1 ? longest : ""; };
  const auto& signs = kCaseSigns.shown(options);
  const std::string text =
      fmt::format("\npredicted stall (upwards) against measured: {} fitted   {} held out\n{}", signs[kFitted],
                  signs[kHeldOut], plot.text(options, row_label, fmt::format("0{:>{}}", longest, kStudyPlotWidth - 1)));
  return options.unicode ? text : to_ascii(text);
}

}  // namespace stash
