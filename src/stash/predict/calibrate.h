#pragma once

#include "stash/core/ledger.h"
#include "stash/predict/cluster.h"
#include "stash/predict/step_job.h"

namespace stash {

// Links that were timed by themselves carry more or less inside a step, where they share cores and overlap: their fits
// are scaled until the simulated interconnect and network are those of the measured ledger.
void calibrate_links(Cluster& cluster, const StepJob& job, const Ledger& measured);

// The same for the links of a script, which are rates of hops and not fits.
void calibrate_hops(Cluster& cluster, const StepJob& job, const Ledger& measured);

// Copies take what was measured; without a measurement the cluster stays as it is.
void calibrate_copies(Cluster& cluster, const StepJob& job, const Ledger& measured);

}  // namespace stash
