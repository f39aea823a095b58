#include "stash/measure/switch/local_results.h"

#include <ATen/core/grad_mode.h>

#include <algorithm>

namespace stash::local_results {
namespace {

// As much as both have room for.
void copy_into(const at::Tensor& to, const at::Tensor& from) {
  const at::NoGradGuard no_grad;
  if (to.sizes() == from.sizes()) {
    to.copy_(from);
    return;
  }
  const int64_t count = std::min(to.numel(), from.numel());
  if (count > 0) to.view({-1}).narrow(0, 0, count).copy_(from.reshape({-1}).narrow(0, 0, count));
}

}  // namespace

void allgather(const std::vector<Tensors>& outputs, const Tensors& inputs) {
  for (std::size_t i = 0; i < std::min(outputs.size(), inputs.size()); ++i) {
    for (const at::Tensor& output : outputs[i]) copy_into(output, inputs[i]);
  }
}

void allgather_base(const at::Tensor& output, const at::Tensor& input) {
  const int64_t piece = input.numel();
  if (piece == 0) return;
  const at::Tensor flat = output.view({-1});
  const at::Tensor own = input.reshape({-1});
  for (int64_t start = 0; start + piece <= flat.numel(); start += piece) copy_into(flat.narrow(0, start, piece), own);
}

void allgather_coalesced(const Tensors& outputs, const Tensors& inputs) {
  for (std::size_t i = 0; i < std::min(outputs.size(), inputs.size()); ++i) allgather_base(outputs[i], inputs[i]);
}

void scatter(const Tensors& outputs, const std::vector<Tensors>& inputs, int rank) {
  reduce_scatter(outputs, inputs, rank);
}

void reduce_scatter(const Tensors& outputs, const std::vector<Tensors>& inputs, int rank) {
  for (std::size_t i = 0; i < std::min(outputs.size(), inputs.size()); ++i) {
    copy_into(outputs[i], inputs[i].at(static_cast<std::size_t>(rank)));
  }
}

void reduce_scatter_base(const at::Tensor& output, const at::Tensor& input, int rank) {
  const int64_t piece = output.numel();
  copy_into(output.view({-1}), input.reshape({-1}).narrow(0, rank * piece, piece));
}

void reduce_scatter_coalesced(const Tensors& outputs, const Tensors& inputs, int rank) {
  for (std::size_t i = 0; i < std::min(outputs.size(), inputs.size()); ++i) {
    reduce_scatter_base(outputs[i], inputs[i], rank);
  }
}

void alltoall(const Tensors& outputs, const Tensors& inputs) {
  for (std::size_t i = 0; i < std::min(outputs.size(), inputs.size()); ++i) copy_into(outputs[i], inputs[i]);
}

void alltoall_base(const at::Tensor& output, const at::Tensor& input) { copy_into(output, input); }

}  // namespace stash::local_results
