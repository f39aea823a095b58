#pragma once

#include <vector>

#include "stash/measure/switch/future_work.h"
#include "stash/measure/torch_headers.h"

namespace stash {

// Sums of half the bytes, as a communication hook that sends bf16 makes them.

// Whether all are fp32, dense and large enough to be gradients: what a script sums beside them stays as it is.
bool can_be_halved(const std::vector<at::Tensor>& tensors);

// Copies in bf16; where there are no values, the first half of each tensor itself.
std::vector<at::Tensor> halved(const std::vector<at::Tensor>& tensors, bool without_values);

// A work that is done when `work`, which sums `half`, is and its results are back in `tensors`.
WorkPtr with_whole_numbers(int rank, const WorkPtr& work, std::vector<at::Tensor> half, std::vector<at::Tensor> tensors,
                           bool without_values);

}  // namespace stash
