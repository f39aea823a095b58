#pragma once

#include <optional>
#include <span>
#include <string>

#include "stash/advise/advise.h"
#include "stash/catalog/instance.h"
#include "stash/core/ledger.h"
#include "stash/core/profile.h"
#include "stash/predict/prediction.h"
#include "stash/report/html/sections.h"

namespace stash {

// The report of a profile as one HTML file, under 400 kB whatever the profile holds.
std::string render_html(const Measured& measured);

// What was predicted, and where it was predicted from a profile, that profile's report on the same page.
std::string render_predictions_html(const Predictions& predictions, const Measured* measured);
std::string render_advice_html(const AdviceQuestion& question, const Advice& advice, const Measured* measured);

}  // namespace stash
