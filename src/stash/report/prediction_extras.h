#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "stash/predict/prediction.h"

namespace stash {

// What a change saves, what more of each resource is worth, and what the input needs: a line each, without its end;
// none where nobody asked.
std::vector<std::string> extra_lines(const Prediction& prediction);

// The lines under the machine's name.
std::string render_extras(const Prediction& prediction);

// The same as keys of a prediction's row.
void add_extras(nlohmann::ordered_json& row, const Prediction& prediction);

}  // namespace stash
