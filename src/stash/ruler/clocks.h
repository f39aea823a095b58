#pragma once

#include "stash/ruler/control.h"
#include "stash/ruler/time_source.h"

namespace stash {

// How this rank's clock stands to rank 0's.
struct ClockOffset {
  double offset_s = 0;       // rank 0's time is ours plus this
  double uncertainty_s = 0;  // half of the quickest exchange
};

// Every rank exchanges times with rank 0, one after the other. All ranks call it together.
ClockOffset align_clocks(Control& control, const TimeSource& time = monotonic_time());

}  // namespace stash
