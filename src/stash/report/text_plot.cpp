#include "stash/report/text_plot.h"

#include <fmt/format.h>

#include <algorithm>

namespace stash {

TextPlot::TextPlot(int width, int height, const PlotSigns& signs)
    : width_(width), height_(height), signs_(signs), marks_(static_cast<std::size_t>(width * height)) {}

void TextPlot::put(int column, int row, int mark) {
  int& there = marks_[index(column, row)];
  there = std::max(there, mark);
}

std::string TextPlot::text(const ReportOptions& options, const std::function<std::string(int row)>& row_label,
                           std::string_view column_labels) const {
  std::string text;
  for (int row = height_ - 1; row >= 0; --row) {
    text += fmt::format("  {:>8} {}", row_label(row), options.unicode ? "│" : "|");
    for (int column = 0; column < width_; ++column) text += sign(column, row, options);
    text.erase(text.find_last_not_of(' ') + 1);
    text += '\n';
  }
  std::string axis;
  for (int i = 0; i < width_; ++i) axis += options.unicode ? "─" : "-";
  return text +
         fmt::format("  {:>8} {}{}\n{:>{}}{}\n", "", options.unicode ? "└" : "+", axis, "", kMargin, column_labels);
}

std::string TextPlot::sign(int column, int row, const ReportOptions& options) const {
  const auto mark = static_cast<std::size_t>(marks_[index(column, row)]);
  const std::string_view sign = signs_.shown(options)[mark];
  return options.color && signs_.colors[mark] != 0 ? fmt::format("\x1b[{}m{}\x1b[0m", signs_.colors[mark], sign)
                                                   : std::string(sign);
}

}  // namespace stash
