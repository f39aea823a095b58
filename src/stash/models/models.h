#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "stash/models/graph.h"

namespace stash {

// What a network is made for.
struct InputSize {
  int image_size = 224;
  int seq_len = 0;  // 0: the model's own
};

// What a caller may choose.
struct ModelOptions {
  std::optional<int> image_size{};  // the model's own where not set
  int seq_len = 0;                  // 0: the model's own
};

// The networks by name. Each costs nothing until it is made.
struct ModelEntry {
  std::string_view name;
  std::string_view description;
  Graph (*make)(const InputSize&);
  int image_size = InputSize{}.image_size;  // that it was published with
};

std::span<const ModelEntry> model_table();

// By name, as a variant of a listed one (model_variants.h), or as a size of the GPT family (gpt_spec.h). UsageError
// names the nearest model; also for a size that the network cannot take.
Graph make_model(std::string_view name, const ModelOptions& options = {});

// The pixels that a model takes unless told otherwise.
int default_image_size(std::string_view model);

}  // namespace stash
