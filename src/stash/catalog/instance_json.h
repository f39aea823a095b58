#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>

#include "stash/catalog/instance.h"

namespace stash {

// Keys are the field names; unknown is null. Reading ignores unknown keys, takes missing ones as unknown, and throws
// an Error that names the key at fault.
nlohmann::json to_json(const Instance& instance);
Instance instance_from_json(nlohmann::json json);

// A file of instances: {"schema_version", "instances": [...]}. A row at fault becomes a warning; Error where the
// document itself cannot be used. `source` names it.
std::string to_json_text(std::span<const Instance> instances);
Catalogue instances_from_json_text(std::string_view text, std::string_view source);

}  // namespace stash
