#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "stash/input/dataset/make_dataset.h"
#include "stash/models/graph.h"

namespace stash {

// A small data set for jobs that bring none, made once and kept in `folder`. `samples` is how many one pass of all
// ranks over a few batches takes. Nobody else may make one in the folder meanwhile.
std::filesystem::path default_dataset(const std::filesystem::path& folder, const Graph& graph, std::int64_t samples,
                                      const DatasetProgress& progress);

// These data sets by the names of their files.
std::string default_images_name(std::int64_t images);
std::string default_tokens_name(std::int64_t vocabulary, std::int64_t tokens);

// True where a job's data is one of these, on whichever machine: the size of an epoch cannot be told from it.
bool is_default_dataset(const std::filesystem::path& data);

}  // namespace stash
