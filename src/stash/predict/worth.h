#pragma once

#include <optional>
#include <string>
#include <vector>

#include "stash/predict/predict.h"

namespace stash {

// What more of a resource would save.
struct Worth {
  std::string resource;  // network, storage, ...: the key of --set
  std::string more;      // "10 Gbit/s more"
  double saved_s = 0;    // of a step after the first epoch; below 0: it takes longer
};

// What the input pipeline needs so that a GPU does not wait for it; nullopt: nothing is known of the input.
struct InputNeeds {
  double cores_per_gpu = 0;        // that decode
  double storage_bytes_per_s = 0;  // of a node, while nothing is cached
  // Of the data set on a node, with the storage that is there; nullopt: it needs none, or none is enough
  std::optional<double> cache_bytes;
};

// For each resource that has a meaning, one more unit of it.
std::vector<Worth> worth_of_more(const Setting& setting, const PredictJob& job);

std::optional<InputNeeds> input_needs(const Setting& setting, const PredictJob& job);

}  // namespace stash
