#include <algorithm>

#include "stash/import/step_reader.h"

namespace stash {

void StepReader::read_compiled_backward(std::size_t node) {
  double inside_s = 0;
  for (std::size_t i = node + 1; i < op(node).end;) {
    const bool whole = parts_.is_leaf(i) || (parts_.works(i) && find_operator(op(i).name) != nullptr) ||
                       (parts_.works(i) && op(i).name.find("_backward") != std::string::npos);
    if (!whole || parts_.of(i) != StepPart::backward) {
      ++i;
      continue;
    }
    const LaunchedWork work = parts_.work_in(i, op(i).end);
    inside_s += work.s;
    if (is_compiled_kernel(op(i).name)) {
      push_backward_kernel(i, work);
    } else {
      pools_[class_of(op(i).name)].s += work.s;
      pools_[class_of(op(i).name)].count += work.count;
    }
    i = op(i).end;
  }
  if (!parts_.on_gpu()) unsized_backward_s_ += std::max(0.0, backward_work(node).s - inside_s);
}

void StepReader::push_backward_kernel(std::size_t i, const LaunchedWork& work) {
  const OperatorInputs inputs = operator_inputs(op(i).arguments);
  const std::optional<OperatorLayer> made = layer_of_inputs(inputs, {batch_, true, pool_});
  if (!made) return;
  StepLayerSeen seen;
  seen.layer.name = op(i).name;
  seen.layer.op = to_string(Op::other);
  seen.layer.output = {};
  seen.layer.dtype = dtype_of(inputs);
  seen.layer.groups = 0;
  seen.layer.index = 1;
  seen.layer.backward_elements = made->layer.cost.forward_elements * kOnlyOnce;
  seen.layer.backward_s = work.s;
  seen.kind = class_of(op(i).name);
  seen.follows_batch = made->follows_batch;
  seen.compiled = true;
  seen.backward_launches = work.count;
  backward_kernels_.push_back(std::move(seen));
}

// The backward pass of compiled code is one node: its products belong to those of the forward pass, its own kernels
// stand for themselves.
void StepReader::spread_compiled() {
  if (!parts_.on_gpu() && unsized_backward_s_ > 0) result_.compiled = true;
  for (const auto& [kind, pool] : pools_) {
    double all = 0;
    for (const StepLayerSeen& seen : result_.layers) {
      if (seen.compiled && seen.kind == kind) all += seen.layer.backward_ops;
    }
    for (StepLayerSeen& seen : result_.layers) {
      if (!seen.compiled || seen.kind != kind || all <= 0) continue;
      seen.layer.backward_s += pool.s * seen.layer.backward_ops / all;
      seen.backward_launches += pool.count / static_cast<std::int64_t>(result_.layers.size());
    }
    if (all <= 0 && pool.s > 0) {
      result_.loose.push_back({kind, WorkPass::backward, {}, pool.s, 0, pool.count});
    }
  }
  place_backward_kernels();
  if (result_.compiled && !parts_.on_gpu()) add_unsized();
}

// The first to run backward is the last of the forward pass.
void StepReader::place_backward_kernels() {
  const std::size_t layers = result_.layers.size(), kernels = backward_kernels_.size();
  std::vector<StepLayerSeen> all;
  std::size_t next = 0;
  for (std::size_t i = 0; i <= layers; ++i) {
    for (; next < kernels && next * (layers + 1) < (i + 1) * kernels; ++next) {
      all.push_back(std::move(backward_kernels_[kernels - 1 - next]));
    }
    if (i < layers) all.push_back(std::move(result_.layers[i]));
  }
  result_.layers = std::move(all);
}

// Kernels that torch.compile wrote for the CPU leave no mark: between two products something reads what the first
// wrote and writes what the second reads.
void StepReader::add_unsized() {
  std::vector<StepLayerSeen> all;
  double products = 0, forward_s = 0, operators_s = 0;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    if (parts_.of(i) != StepPart::forward || op(i).name != "CompiledFunction" || !parts_.in_step(i)) continue;
    forward_s += static_cast<double>(op(i).ns()) * kTraceTick_s;
  }
  for (const StepLayerSeen& seen : result_.layers) {
    if (!seen.compiled) continue;
    operators_s += seen.layer.forward_s;
    products += seen.layer.forward_elements;
  }
  const double rest_s = std::max(0.0, forward_s - operators_s);
  result_.unsized_s = rest_s + unsized_backward_s_;
  for (StepLayerSeen& seen : result_.layers) {
    const bool is_product = seen.compiled && seen.layer.forward_ops > 0;
    const double elements = seen.layer.forward_elements;
    const Shape output = seen.layer.output;
    const std::string dtype = seen.layer.dtype;
    all.push_back(std::move(seen));
    if (!is_product || products <= 0) continue;
    StepLayerSeen fused;
    fused.layer.name = "compiled";
    fused.layer.op = to_string(Op::other);
    fused.layer.output = output;
    fused.layer.dtype = dtype;
    fused.layer.groups = fused.layer.index = 1;
    fused.layer.forward_elements = elements;
    fused.layer.backward_elements = 2 * elements;
    fused.layer.forward_s = rest_s * elements / products;
    fused.layer.backward_s = unsized_backward_s_ * elements / products;
    fused.compiled = true;
    fused.forward_launches = fused.backward_launches = 1;
    all.push_back(std::move(fused));
  }
  result_.layers = std::move(all);
}

}  // namespace stash
