#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "stash/serve/load/load_target.h"

namespace stash {

// A whole request as it goes over the wire; every request of a run is the same.
std::string post_request(const LoadTarget& target, std::string_view type, std::string_view body);

enum class TensorForm { binary, json };

// For a model of the Open Inference Protocol: one sample for every input that `metadata` (what GET /v2/models/NAME
// answers) lists, with numbers from a seed. Error says what of the metadata is missing or not known.
std::string infer_request(const LoadTarget& target, std::string_view metadata, TensorForm form, std::uint64_t seed);

// The request for that metadata.
std::string metadata_request(const LoadTarget& target);

}  // namespace stash
