#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "stash/predict/prediction.h"

namespace stash {

// What a change saves, what more of each resource is worth, and what the input needs: lines for people, each with the
// machine's name; empty where nobody asked.
std::string render_extras(const Prediction& prediction);

// The same as keys of a prediction's row.
void add_extras(nlohmann::ordered_json& row, const Prediction& prediction);

}  // namespace stash
