#pragma once

#include <string_view>

#include "stash/report/html/svg.h"

namespace stash {

inline constexpr double kChartRowHeight = 44;  // a line of text, what is drawn, room

// The line of text above what is drawn in a row: its label, and its figures at the right.
inline void draw_row_text(Svg& svg, std::string_view label, std::string_view figures, double top) {
  constexpr double kBaseline = 14;
  svg.text(0, top + kBaseline, label, Anchor::start, "label");
  svg.text(100, top + kBaseline, figures, Anchor::end, "figures");
}

}  // namespace stash
