#pragma once

#include <cstddef>
#include <string>

#include "stash/advise/advice.h"
#include "stash/advise/question.h"
#include "stash/report/report.h"

namespace stash {

inline constexpr std::size_t kDefaultTop = 10;

// One line: what to rent, how long it takes, what it costs, how sure that is; or that nothing meets the question.
std::string advice_verdict(const AdviceQuestion& question, const Advice& advice);

std::string duration_range(double low_s, double high_s);  // "12.1 to 14.5 h"

// The page for people: verdict, the best `top`, time against cost, what would change the advice, what was
// rejected.
std::string render_advice_text(const AdviceQuestion& question, const Advice& advice, const ReportOptions& options,
                               std::size_t top = kDefaultTop);

// One JSON object, ASCII, with all options in order; docs/cli/advise.md describes it.
std::string render_advice_json(const AdviceQuestion& question, const Advice& advice);

// A row for each option, best first: a prediction's columns, then those of the whole training. Unknown is empty.
std::string render_advice_csv(const Advice& advice);

// Time across, cost upwards, both logarithmic; the front and the best are marked. Empty without prices.
std::string render_advice_plot(const Advice& advice, const ReportOptions& options);

}  // namespace stash
