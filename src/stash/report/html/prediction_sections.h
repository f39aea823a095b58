#pragma once

#include <vector>

#include "stash/advise/advice.h"
#include "stash/predict/prediction.h"
#include "stash/report/html/sections.h"

namespace stash {

// Ledgers side by side, what they assume, what was rejected.
std::vector<Section> prediction_sections(const Predictions& predictions);

// Time against cost with the front marked, the ranking, the ledgers of the best, what would change the order.
std::vector<Section> advice_sections(const Advice& advice);

Section rejected_section(const std::vector<Rejected>& rejected);
Section ledgers_section(std::span<const Prediction* const> predictions);

}  // namespace stash
