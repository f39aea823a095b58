#pragma once

#include "stash/core/ledger.h"

namespace stash {

// A part of a step that is not compute, with its place.
struct Stall {
  Part part = Part::compute;
  Estimate time;
  double step_s = 0;         // that it is a part of
  bool first_epoch = false;  // per step in the first epoch; else of the others, as far as they are known
};

}  // namespace stash
