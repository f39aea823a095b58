#include "stash/measure/serving/batch_lane.h"

#include <ATen/Functions.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "stash/core/error.h"

namespace stash {

void check_outputs(const std::vector<at::Tensor>& given, const std::vector<ModelTensor>& expected, int rows) {
  if (given.size() != expected.size()) {
    throw Error(fmt::format("the model gave {} tensors, and {} before", given.size(), expected.size()));
  }
  for (std::size_t i = 0; i < given.size(); ++i) {
    std::vector<std::int64_t> shape{rows};
    shape.insert(shape.end(), expected[i].shape.begin(), expected[i].shape.end());
    if (given[i].sizes() == at::IntArrayRef(shape) && given[i].scalar_type() == expected[i].type) continue;
    throw Error(
        fmt::format("the model gave {} [{}] as '{}', where it should give {} [{}]: its outputs must not depend "
                    "on the size of the batch",
                    c10::toString(given[i].scalar_type()), fmt::join(given[i].sizes(), ", "), expected[i].name,
                    c10::toString(expected[i].type), fmt::join(shape, ", ")));
  }
}

void mark_not_a_number(BatchBoard& board, const std::vector<at::Tensor>& outputs) {
  board.not_a_number.fill(0);
  for (const at::Tensor& output : outputs) {
    // A sum is one cheap pass; infinities of both signs make it a NaN too, so the samples are looked at then.
    if (!output.is_floating_point() || output.numel() == 0 || !at::isnan(output.sum()).item<bool>()) continue;
    const at::Tensor rows = at::isnan(output).reshape({output.size(0), -1}).any(1);
    for (std::int64_t row = 0; row < rows.size(0); ++row) {
      if (rows[row].item<bool>()) {
        board.not_a_number[static_cast<std::size_t>(row) / 64] |= std::uint64_t{1} << (row % 64);
      }
    }
  }
}

}  // namespace stash
