#pragma once

#include <string>
#include <vector>

#include "stash/battery/compare.h"
#include "stash/battery/training_cost.h"
#include "stash/report/report.h"

namespace stash {

// Costs to train for a number of epochs; empty: nobody asked.
struct CostTable {
  int epochs = 0;
  std::vector<TrainingCost> rows;
};

// One line: who is fastest and who is cheapest, for how many models.
std::string comparison_verdict(const Comparison& comparison);

// Who is fastest and who is cheapest, model by model; what does not pay; links that fall short; then the costs.
std::string render_comparison_text(const Comparison& comparison, const CostTable& costs, const ReportOptions& options);
std::string render_comparison_json(const Comparison& comparison, const CostTable& costs);
// A row for each model and machine; with costs, those.
std::string render_comparison_csv(const Comparison& comparison, const CostTable& costs);

}  // namespace stash
