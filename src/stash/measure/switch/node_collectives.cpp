#include "stash/measure/switch/node_collectives.h"

#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <numeric>

namespace stash {
namespace {

using WorkPtr = NodeCollectives::WorkPtr;

// Views of a flat buffer's consecutive pieces with the given lengths along dimension 0; equal ones when empty.
NodeCollectives::Tensors split_rows(const at::Tensor& whole, const std::vector<int64_t>& splits, int group_size) {
  NodeCollectives::Tensors views;
  int64_t start = 0;
  for (int i = 0; i < group_size; ++i) {
    const int64_t rows = splits.empty() ? whole.size(0) / group_size : splits[static_cast<std::size_t>(i)];
    views.push_back(whole.narrow(0, start, rows));
    start += rows;
  }
  return views;
}

}  // namespace

bool NodeCollectives::has(int group_rank) const {
  return std::find(ranks_.begin(), ranks_.end(), group_rank) != ranks_.end();
}

int NodeCollectives::root(int group_rank) const {
  const auto found = std::find(ranks_.begin(), ranks_.end(), group_rank);
  return found == ranks_.end() ? 0 : static_cast<int>(found - ranks_.begin());
}

// What the other nodes would have sent: stands for it, so that nobody computes with whatever was in memory.
void NodeCollectives::fill_others(const Tensors& pieces, const at::Tensor& own) const {
  const at::NoGradGuard no_grad;
  for (std::size_t rank = 0; rank < pieces.size(); ++rank) {
    if (!has(static_cast<int>(rank)) && pieces[rank].numel() == own.numel()) pieces[rank].view(own.sizes()).copy_(own);
  }
}

NodeCollectives::Tensors NodeCollectives::pieces_of(const at::Tensor& whole, int64_t piece) const {
  const at::Tensor flat = whole.view({-1});
  Tensors pieces;
  for (const int rank : ranks_) pieces.push_back(flat.narrow(0, rank * piece, piece));
  return pieces;
}

std::vector<NodeCollectives::Tensors> NodeCollectives::select(const std::vector<Tensors>& lists) const {
  std::vector<Tensors> selected;
  for (const Tensors& list : lists) {
    Tensors own;
    for (const int rank : ranks_) own.push_back(list.at(static_cast<std::size_t>(rank)));
    selected.push_back(std::move(own));
  }
  return selected;
}

WorkPtr NodeCollectives::allgather(std::vector<Tensors>& outputs, Tensors& inputs, const c10d::AllgatherOptions& opts) {
  for (std::size_t i = 0; i < inputs.size(); ++i) fill_others(outputs[i], inputs[i]);
  std::vector<Tensors> own = select(outputs);
  return backend_->allgather(own, inputs, opts);
}

WorkPtr NodeCollectives::allgather_base(at::Tensor& output, at::Tensor& input, const c10d::AllgatherOptions& opts) {
  at::Tensor flat_input = input.view({-1});
  if (flat_input.numel() > 0) fill_others(output.view({-1}).split(flat_input.numel()), flat_input);
  std::vector<Tensors> own{pieces_of(output, flat_input.numel())};
  Tensors inputs{flat_input};
  return backend_->allgather(own, inputs, opts);
}

WorkPtr NodeCollectives::allgather_coalesced(Tensors& outputs, Tensors& inputs, const c10d::AllgatherOptions& opts) {
  WorkPtr last;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (last) last->wait();
    last = allgather_base(outputs[i], inputs[i], opts);
  }
  return last;
}

WorkPtr NodeCollectives::gather(std::vector<Tensors>& outputs, Tensors& inputs, const c10d::GatherOptions& opts) {
  c10d::GatherOptions own = opts;
  own.rootRank = root(static_cast<int>(opts.rootRank));
  std::vector<Tensors> selected = select(outputs);
  Tensors scratch;
  // The node's first rank plays a root that is elsewhere: it has no room for what it receives.
  if (selected.empty() && own.rootRank == backend_->getRank()) {
    for (int i = 0; i < size(); ++i) scratch.push_back(at::empty_like(inputs[0]));
    selected.push_back(scratch);
  }
  return backend_->gather(selected, inputs, own);
}

WorkPtr NodeCollectives::scatter(Tensors& outputs, std::vector<Tensors>& inputs, const c10d::ScatterOptions& opts) {
  c10d::ScatterOptions own = opts;
  own.rootRank = root(static_cast<int>(opts.rootRank));
  std::vector<Tensors> selected = select(inputs);
  if (selected.empty() && own.rootRank == backend_->getRank()) {
    selected.push_back(Tensors(static_cast<std::size_t>(size()), outputs[0].clone()));
  }
  return backend_->scatter(outputs, selected, own);
}

WorkPtr NodeCollectives::reduce_scatter(Tensors& outputs, std::vector<Tensors>& inputs,
                                        const c10d::ReduceScatterOptions& opts) {
  std::vector<Tensors> own = select(inputs);
  return backend_->reduce_scatter(outputs, own, opts);
}

WorkPtr NodeCollectives::reduce_scatter_base(at::Tensor& output, at::Tensor& input,
                                             const c10d::ReduceScatterOptions& opts) {
  at::Tensor flat_output = output.view({-1});
  std::vector<Tensors> own{pieces_of(input, flat_output.numel())};
  Tensors outputs{flat_output};
  return backend_->reduce_scatter(outputs, own, opts);
}

WorkPtr NodeCollectives::reduce_scatter_coalesced(Tensors& outputs, Tensors& inputs,
                                                  const c10d::ReduceScatterOptions& opts) {
  WorkPtr last;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (last) last->wait();
    last = reduce_scatter_base(outputs[i], inputs[i], opts);
  }
  return last;
}

WorkPtr NodeCollectives::alltoall(Tensors& outputs, Tensors& inputs, const c10d::AllToAllOptions& opts) {
  Tensors own_outputs;
  Tensors own_inputs;
  for (const int rank : ranks_) {
    own_outputs.push_back(outputs.at(static_cast<std::size_t>(rank)));
    own_inputs.push_back(inputs.at(static_cast<std::size_t>(rank)));
  }
  return backend_->alltoall(own_outputs, own_inputs, opts);
}

WorkPtr NodeCollectives::alltoall_base(at::Tensor& output, at::Tensor& input, const std::vector<int64_t>& output_splits,
                                       const std::vector<int64_t>& input_splits, int group_size,
                                       const c10d::AllToAllOptions& opts) {
  // The pieces of the node's ranks are packed, exchanged, and put where the whole exchange would put them.
  const Tensors out = split_rows(output, output_splits, group_size);
  const Tensors in = split_rows(input, input_splits, group_size);
  Tensors own_in;
  std::vector<int64_t> own_output_splits;
  std::vector<int64_t> own_input_splits;
  for (const int rank : ranks_) {
    own_in.push_back(in[static_cast<std::size_t>(rank)]);
    own_input_splits.push_back(own_in.back().size(0));
    own_output_splits.push_back(out[static_cast<std::size_t>(rank)].size(0));
  }
  at::Tensor packed_in = at::cat(own_in);
  std::vector<int64_t> shape = output.sizes().vec();
  shape[0] = std::accumulate(own_output_splits.begin(), own_output_splits.end(), int64_t{0});
  at::Tensor packed_out = at::empty(shape, output.options());
  std::vector<int64_t> given_splits = own_output_splits;  // Gloo takes the contents of what it is given
  WorkPtr work = backend_->alltoall_base(packed_out, packed_in, given_splits, own_input_splits, opts);
  work->wait();
  int64_t start = 0;
  for (std::size_t i = 0; i < ranks_.size(); ++i) {
    at::Tensor target = out[static_cast<std::size_t>(ranks_[i])];
    target.copy_(packed_out.narrow(0, start, own_output_splits[i]));
    start += own_output_splits[i];
  }
  return work;
}

}  // namespace stash
