#pragma once

#include "stash/study/observation.h"

namespace stash {

// What an exchange among these ranks costs; docs/metrics.md has the formulas.
struct Communication {
  double latency_s = 0;       // of each collective
  double s_per_byte = 0;      // of a rank's gradients, when a collective is alone
  double paired_ratio = 1;    // two in flight together move this many times what one alone does; 1 to 2
  double slowdown_ratio = 0;  // share of the time that communication hides behind the backward pass, lost all the same
};

// The stall of a step. A bucket goes out when it is full and the backend has room for it; what lasts beyond the
// backward pass is exposed.
double stall_s(const Observation& observation, const Communication& communication);

}  // namespace stash
