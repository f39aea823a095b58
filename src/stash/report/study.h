#pragma once

#include <string>

#include "stash/report/report.h"
#include "stash/study/communication_study.h"

namespace stash {

// One line: what communication costs, and how well models that the fit has not seen are predicted.
std::string study_verdict(const CommunicationStudy& study);

// One line: ranks, device, backend, buckets, what was injected, and how well the models fit.
std::string study_setting(const CommunicationStudy& study);

// The page for people: verdict, coefficients, every model with its residual, the lines of the Stash study, a plot.
std::string render_study_text(const CommunicationStudy& study, const ReportOptions& options);

// One JSON object, ASCII; docs/cli/study.md describes it.
std::string render_study_json(const CommunicationStudy& study);

// A row for each model, fitted ones first. Unknown is empty.
std::string render_study_csv(const CommunicationStudy& study);

// Predicted against measured stall; on the diagonal they are the same.
std::string render_study_plot(const CommunicationStudy& study, const ReportOptions& options);

}  // namespace stash
