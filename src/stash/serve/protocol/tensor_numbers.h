#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "stash/serve/protocol/tensor_type.h"

namespace stash {

// Whether a value of JSON can be a number of the type, without loss of what is before the point.
bool is_number_for(const nlohmann::json& value, const TensorType& type);
// Its bytes as the type has them; `value` is_number_for it.
void append_number(const nlohmann::json& value, const TensorType& type, std::string& bytes);
// The number whose bytes begin there; null: it is not finite.
nlohmann::json number_at(const char* bytes, const TensorType& type);

}  // namespace stash
