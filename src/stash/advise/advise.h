#pragma once

#include "stash/advise/advice.h"
#include "stash/advise/question.h"
#include "stash/predict/prediction.h"

namespace stash {

// Ranks what was predicted. The same for the same question, whatever order the predictions are in. UsageError for a
// question out of range, Error where there is nothing to rank or reject; a prediction that is no time or has no price
// becomes a rejected one.
Advice advise(const AdviceQuestion& question, Predictions predictions);

}  // namespace stash
