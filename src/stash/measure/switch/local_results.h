#pragma once

#include <vector>

#include "stash/measure/torch_headers.h"

// What a collective leaves behind when it is switched off. Shapes stay, and another rank's piece is played by the own
// one: a script that looks at what it gathered finds values of the right kind. Sums and broadcasts keep what is there.
namespace stash::local_results {

using Tensors = std::vector<at::Tensor>;

void allgather(const std::vector<Tensors>& outputs, const Tensors& inputs);
void allgather_base(const at::Tensor& output, const at::Tensor& input);
void allgather_coalesced(const Tensors& outputs, const Tensors& inputs);
void scatter(const Tensors& outputs, const std::vector<Tensors>& inputs, int rank);  // only the root has inputs
void reduce_scatter(const Tensors& outputs, const std::vector<Tensors>& inputs, int rank);
void reduce_scatter_base(const at::Tensor& output, const at::Tensor& input, int rank);
void reduce_scatter_coalesced(const Tensors& outputs, const Tensors& inputs, int rank);
void alltoall(const Tensors& outputs, const Tensors& inputs);
void alltoall_base(const at::Tensor& output, const at::Tensor& input);

}  // namespace stash::local_results
