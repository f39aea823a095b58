#pragma once

#include <cstdint>
#include <string_view>

namespace stash {

// A data type of the Open Inference Protocol whose values have one size. (BYTES, which has none, is not among them.)
struct TensorType {
  std::string_view name;
  std::int64_t bytes;
  bool is_float;
};

// nullptr: there is none of that name. The result lives as long as the program.
const TensorType* find_tensor_type(std::string_view name);

}  // namespace stash
