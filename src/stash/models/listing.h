#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stash/core/format.h"
#include "stash/models/graph.h"

namespace stash {

// A row of `stash models`, at the model's default image size or sequence length.
struct ModelSummary {
  std::string name;
  std::string description;
  std::int64_t parameters = 0;
  std::int64_t gradient_bytes = 0;   // fp32, what a step exchanges
  double operations_per_sample = 0;  // forward
  std::int64_t layers = 0;           // of the graph, with its input and its loss
};

std::vector<ModelSummary> summarize_models();

// What `stash models` and `stash models NAME` print, with a newline at the end.
std::string format_models(std::span<const ModelSummary> models, Format format);
std::string format_layers(const Graph& graph, Format format);

}  // namespace stash
