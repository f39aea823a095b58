#pragma once

#include <string>

#include "stash/predict/prediction.h"
#include "stash/report/report.h"

namespace stash {

// One line: the fastest and the cheapest, or of one machine what costs most. Names are as they came.
std::string predictions_verdict(const Predictions& predictions);

// The page for people: ledgers side by side, a column for each machine and node count, what they assume, what was
// rejected. As many columns as fit stand beside each other; the others come below.
std::string render_predictions_text(const Predictions& predictions, const ReportOptions& options);

// One JSON object, ASCII: "predictions" and "rejected"; docs/cli/predict.md describes it.
std::string render_predictions_json(const Predictions& predictions);

// A row for each prediction; unknown is empty.
std::string render_predictions_csv(const Predictions& predictions);

}  // namespace stash
