#pragma once

#include <vector>

#include "stash/measure/torch_headers.h"

namespace stash {

// The collectives of a group, confined to the ranks of one node: shapes stay those of the whole group, and only
// the pieces of the node's ranks are sent; this rank's own stand for those of others.
class NodeCollectives {
 public:
  using WorkPtr = c10::intrusive_ptr<c10d::Work>;
  using Tensors = std::vector<at::Tensor>;

  NodeCollectives(c10::intrusive_ptr<c10d::Backend> backend, std::vector<int> ranks)
      : backend_(std::move(backend)), ranks_(std::move(ranks)) {}

  c10d::Backend& backend() { return *backend_; }
  int size() const { return static_cast<int>(ranks_.size()); }
  // The node's index of a rank of the group; a rank elsewhere is played by the node's first.
  int root(int group_rank) const;
  bool has(int group_rank) const;

  WorkPtr allgather(std::vector<Tensors>& outputs, Tensors& inputs, const c10d::AllgatherOptions& opts);
  WorkPtr allgather_base(at::Tensor& output, at::Tensor& input, const c10d::AllgatherOptions& opts);
  WorkPtr allgather_coalesced(Tensors& outputs, Tensors& inputs, const c10d::AllgatherOptions& opts);
  WorkPtr gather(std::vector<Tensors>& outputs, Tensors& inputs, const c10d::GatherOptions& opts);
  WorkPtr scatter(Tensors& outputs, std::vector<Tensors>& inputs, const c10d::ScatterOptions& opts);
  WorkPtr reduce_scatter(Tensors& outputs, std::vector<Tensors>& inputs, const c10d::ReduceScatterOptions& opts);
  WorkPtr reduce_scatter_base(at::Tensor& output, at::Tensor& input, const c10d::ReduceScatterOptions& opts);
  WorkPtr reduce_scatter_coalesced(Tensors& outputs, Tensors& inputs, const c10d::ReduceScatterOptions& opts);
  WorkPtr alltoall(Tensors& outputs, Tensors& inputs, const c10d::AllToAllOptions& opts);
  WorkPtr alltoall_base(at::Tensor& output, at::Tensor& input, const std::vector<int64_t>& output_splits,
                        const std::vector<int64_t>& input_splits, int group_size, const c10d::AllToAllOptions& opts);

 private:
  void fill_others(const Tensors& pieces, const at::Tensor& own) const;
  Tensors pieces_of(const at::Tensor& whole, int64_t piece) const;  // views of the node's equal pieces
  std::vector<Tensors> select(const std::vector<Tensors>& lists) const;

  c10::intrusive_ptr<c10d::Backend> backend_;
  std::vector<int> ranks_;
};

}  // namespace stash
