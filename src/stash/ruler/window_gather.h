#pragma once

#include <optional>
#include <vector>

#include "stash/core/profile.h"
#include "stash/ruler/control.h"
#include "stash/ruler/window_probe.h"

namespace stash {

// What the ranks found in one window, brought together. All ranks call together.

// Every rank's sample; `wall_s` is nullopt on a rank that waited.
std::vector<std::optional<RankSample>> gather_samples(Control& control, std::optional<double> wall_s,
                                                      const WindowSight& sight);

// Adds to the window's samples how late each rank came to the collectives. Rank 0's time is a rank's own plus
// `offset_s`.
void gather_arrivals(Control& control, std::vector<double> own_s, double offset_s, Window& window);

// Every rank's spans on one time line, on rank 0: from the earliest start on, by rank 0's clock.
WindowTrace gather_trace(Control& control, const Window& window, std::optional<TimedTrace> own, double offset_s);

}  // namespace stash
