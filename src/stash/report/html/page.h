#pragma once

#include <string>

#include "stash/advise/advice.h"
#include "stash/advise/question.h"
#include "stash/predict/prediction.h"
#include "stash/report/report.h"

namespace stash {

// The report of a profile as one HTML file, under 400 kB whatever the profile holds.
std::string render_html(const Report& report);

// What was predicted, and where it was predicted from a profile, that profile's report on the same page.
std::string render_predictions_html(const Predictions& predictions, const std::optional<Report>& report);
std::string render_advice_html(const AdviceQuestion& question, const Advice& advice,
                               const std::optional<Report>& report);

}  // namespace stash
