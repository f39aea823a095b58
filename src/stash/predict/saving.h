#pragma once

#include "stash/predict/prediction.h"

namespace stash {

// Samples that all GPUs together use in one step.
double samples_per_step(const Prediction& prediction);

// What a change saves, for as many samples as a step has with it.
Saving saving_of(const Prediction& before, const Prediction& after);

}  // namespace stash
