#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "stash/core/script_work.h"
#include "stash/import/operator_inputs.h"

namespace stash {

// What the rank knows of the steps that its profiler recorded.
struct WorkFacts {
  std::optional<int> batch;                     // samples of a batch
  std::optional<double> sample_bytes;           // of it, per sample
  std::optional<std::vector<Dims>> parameters;  // shapes of what the optimizer updates
};

// The work of a step, from a trace of torch.profiler with shapes and a mark at each step. Error where the trace cannot
// be used; says why.
ScriptWork read_work(const std::filesystem::path& trace, const WorkFacts& facts);

}  // namespace stash
