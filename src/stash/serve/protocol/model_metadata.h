#pragma once

#include <string>

#include "stash/serve/model/served_model.h"

namespace stash {

// What GET /v2 answers.
std::string server_metadata();

// What GET /v2/models/NAME answers: name, versions, platform, inputs and outputs.
std::string model_metadata(const ServedModel& model);

}  // namespace stash
