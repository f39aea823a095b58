#pragma once

#include <filesystem>

#include "stash/models/graph.h"

namespace stash {

// A small data set for jobs that bring none, made once and kept in the user's cache folder. `samples` is how many
// one pass of all ranks over a few batches takes.
std::filesystem::path default_dataset(const Graph& graph, std::int64_t samples);

}  // namespace stash
