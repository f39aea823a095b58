#pragma once

#include "stash/ruler/control.h"
#include "stash/ruler/workload.h"

namespace stash {

// What must hold on all ranks, or the times of a window mean nothing. All ranks call together; an Error on all of them.

// Ranks that are about to sum gradients have the same weights.
void check_weights(Control& control, const Workload& workload, Condition condition);
// The loss of every rank is finite.
void check_loss(Control& control, const Workload& workload);

}  // namespace stash
