#include "stash/measure/switch/half_sums.h"

#include <algorithm>

namespace stash {
namespace {

constexpr std::size_t kFewestBytes = 64 << 10;  // a bucket holds more, a loss or a count less

}  // namespace

bool can_be_halved(const std::vector<at::Tensor>& tensors) {
  return std::ranges::all_of(tensors, [](const at::Tensor& tensor) {
    return tensor.scalar_type() == at::kFloat && tensor.layout() == at::kStrided && tensor.is_contiguous() &&
           tensor.nbytes() >= kFewestBytes;
  });
}

std::vector<at::Tensor> halved(const std::vector<at::Tensor>& tensors, bool without_values) {
  std::vector<at::Tensor> half;
  for (const at::Tensor& tensor : tensors) {
    half.push_back(without_values ? tensor.view({-1}).narrow(0, 0, tensor.numel() / 2) : tensor.to(at::kBFloat16));
  }
  return half;
}

WorkPtr with_whole_numbers(int rank, const WorkPtr& work, std::vector<at::Tensor> half, std::vector<at::Tensor> tensors,
                           bool without_values) {
  FuturePtr whole = work->getFuture()->then(
      [half = std::move(half), tensors, without_values](c10::ivalue::Future& done) {
        done.value();  // throws what the sum did
        const at::NoGradGuard no_gradient;
        for (std::size_t i = 0; !without_values && i < tensors.size(); ++i) {
          at::Tensor tensor = tensors[i];
          tensor.copy_(half[i]);
        }
        return c10::IValue(tensors);
      },
      c10::ListType::create(c10::TensorType::get()));
  return make_future_work(rank, c10d::OpType::ALLREDUCE, std::move(whole), std::move(tensors), work);
}

}  // namespace stash
