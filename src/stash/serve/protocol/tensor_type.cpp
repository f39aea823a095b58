#include "stash/serve/protocol/tensor_type.h"

#include <algorithm>
#include <array>

namespace stash {
namespace {

constexpr std::array<TensorType, 13> kTensorTypes{{{"BOOL", 1, false},
                                                   {"UINT8", 1, false},
                                                   {"UINT16", 2, false},
                                                   {"UINT32", 4, false},
                                                   {"UINT64", 8, false},
                                                   {"INT8", 1, false},
                                                   {"INT16", 2, false},
                                                   {"INT32", 4, false},
                                                   {"INT64", 8, false},
                                                   {"FP16", 2, true},
                                                   {"BF16", 2, true},
                                                   {"FP32", 4, true},
                                                   {"FP64", 8, true}}};

}  // namespace

const TensorType* find_tensor_type(std::string_view name) {
  const auto found = std::ranges::find(kTensorTypes, name, &TensorType::name);
  return found == kTensorTypes.end() ? nullptr : &*found;
}

}  // namespace stash
