#pragma once

#include <optional>
#include <string>
#include <vector>

#include "stash/predict/predict.h"

namespace stash {

// For each resource that has a meaning, one more unit of it.
std::vector<Worth> worth_of_more(const Setting& setting, const PredictJob& job);

// A step after the first epoch; of any epoch where too little is known of the page cache.
double simulate_steady_s(const Setting& setting, const PredictJob& job);

std::optional<InputNeeds> input_needs(const Setting& setting, const PredictJob& job);

}  // namespace stash
