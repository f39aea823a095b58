#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace stash {

// JSON as a document of YAML, in blocks. Strings are quoted wherever they could be taken for something else.
std::string yaml_text(const nlohmann::json& json);

}  // namespace stash
