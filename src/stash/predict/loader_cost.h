#pragma once

#include "stash/catalog/loader.h"
#include "stash/predict/predict_job.h"

namespace stash {

// A sample of `job`, whose CPU time is that of one loader, costs what another takes; says so. UsageError where its CPU
// time is not known or the job has no images.
void use_loader(PredictJob& job, const Loader& from, const Loader& to);

}  // namespace stash
