#pragma once

#include <array>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "stash/report/report.h"

namespace stash {

// How marks look. 0 is nothing there.
struct PlotSigns {
  std::array<std::string_view, 4> unicode;
  std::array<std::string_view, 4> ascii;
  std::array<int, 4> colors{};  // ANSI; 0: none

  const std::array<std::string_view, 4>& shown(const ReportOptions& options) const {
    return options.unicode ? unicode : ascii;
  }
};

// Marks between two axes, for a terminal. Places count from the lower left, from 0; where two marks meet, the larger
// covers the other.
class TextPlot {
 public:
  static constexpr int kMargin = 12;  // characters: the labels at the left, and the axis

  TextPlot(int width, int height, const PlotSigns& signs);

  void put(int column, int row, int mark);

  // `row_label` is asked for every row and may answer with nothing; `column_labels` is the line below.
  std::string text(const ReportOptions& options, const std::function<std::string(int row)>& row_label,
                   std::string_view column_labels) const;

 private:
  std::string sign(int column, int row, const ReportOptions& options) const;
  std::size_t index(int column, int row) const { return static_cast<std::size_t>(row * width_ + column); }

  int width_, height_;
  PlotSigns signs_;
  std::vector<int> marks_;
};

}  // namespace stash
