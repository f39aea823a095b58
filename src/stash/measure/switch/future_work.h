#pragma once

#include <vector>

#include "stash/measure/torch_headers.h"

namespace stash {

using FuturePtr = c10::intrusive_ptr<c10::ivalue::Future>;
using WorkPtr = c10::intrusive_ptr<c10d::Work>;

// A future that will hold the tensors on their devices, as the gradient reducer expects.
FuturePtr make_future(const std::vector<at::Tensor>& tensors);

// A work object whose state is that of its future. `real` is what runs underneath; null: nothing does.
WorkPtr make_future_work(int rank, c10d::OpType op, FuturePtr future, std::vector<at::Tensor> tensors, WorkPtr real);

// One that has completed already: what a collective returns when it is switched off.
WorkPtr make_completed_work(int rank, c10d::OpType op, std::vector<at::Tensor> tensors);

}  // namespace stash
