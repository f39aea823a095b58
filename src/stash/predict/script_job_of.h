#pragma once

#include "stash/predict/predict_job.h"

namespace stash {

// A job of a script's profile. Error says why nothing can be predicted from it, and what to measure.
PredictJob job_of_script(Profile profile, Ledger ledger);

// Error where the job asks for a batch or a type that the script's operators say nothing about.
void check_script_allows(const PredictJob& job);

}  // namespace stash
