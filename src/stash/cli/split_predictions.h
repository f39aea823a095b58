#pragma once

#include <optional>
#include <span>
#include <string>

#include "stash/cli/flags/predict_flags.h"
#include "stash/cli/flags/split_flags.h"
#include "stash/predict/prediction.h"

namespace stash {

// `stash predict` with --tensor, --pipeline, --data: a language model that is split, on every machine and node count.
Predictions predict_splits(const PredictFlags& job, const SplitFlags& split, const std::string& on,
                           const std::string& nodes, std::optional<int> gpus, std::span<const Instance> instances);

}  // namespace stash
