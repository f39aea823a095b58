#pragma once

#include <optional>

#include "stash/predict/prediction.h"

namespace stash {

// Times and cost of an epoch of so many samples; nullopt: unknown, and the prediction stays as it is.
void add_epochs(Prediction& prediction, std::optional<double> samples);

}  // namespace stash
