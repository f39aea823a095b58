#pragma once

#include <optional>
#include <variant>

#include "stash/catalog/instance.h"
#include "stash/plan/gpt_search.h"
#include "stash/predict/prediction.h"
#include "stash/predict/what_if.h"

namespace stash {

// A language model and how it is split, whatever machine it runs on.
struct SplitJob {
  GptSize size{};
  std::optional<int> global_batch{};  // nullopt: one pass of each data-parallel rank; with a pipeline enough to fill it
  std::optional<DType> dtype{};       // nullopt: half precision where the GPU has it
  // What is not given is 1, or off; --data is what is left of the GPUs. Where that does not fit into memory, what saves
  // memory is chosen.
  GptSearch split{};
};

// The ledger of one split on `nodes` of a machine, all its GPUs or `gpus` of them over all nodes. Rejected where it
// does not fit or too little is known of the machine; UsageError where the split cannot be.
std::variant<Prediction, Rejected> predict_split(const SplitJob& job, const Instance& instance, int nodes,
                                                 std::optional<int> gpus, const WhatIf& what_if);

}  // namespace stash
