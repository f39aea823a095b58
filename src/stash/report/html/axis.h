#pragma once

#include "stash/report/html/charts.h"
#include "stash/report/html/scale.h"
#include "stash/report/html/svg.h"

namespace stash {

inline constexpr double kAxisHeight = 22;  // a tick and its number

// Lines from `top` to `bottom` with their values under them.
void draw_x_axis(Svg& svg, const Scale& scale, double top, double bottom, const TickText& tick);

// Where a text at this place ends inside the picture.
Anchor anchor_at(double percent);

}  // namespace stash
