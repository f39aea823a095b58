#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "stash/predict/prediction.h"

namespace stash {

// A row of `predict` and `advise`; docs/cli/predict.md.
nlohmann::ordered_json prediction_json(const Prediction& prediction);

nlohmann::ordered_json rejected_json(const std::vector<Rejected>& rejected);

}  // namespace stash
