#include <algorithm>

#include "stash/import/step_reader.h"

namespace stash {

// The forward pass in order: what has a size of its own, and the smallest parts of all else.
void StepReader::read_forward() {
  for (std::size_t i = 0; i < parts_.size();) {
    const bool is_elsewhere = parts_.of(i) != StepPart::forward && parts_.of(i) != StepPart::nobody;
    i = is_elsewhere || (parts_.of(i) == StepPart::forward && take_forward(i)) ? op(i).end : i + 1;
  }
  order_by_time();
  note_sequences();
}

bool StepReader::take_forward(std::size_t i) {
  const KnownOperator* const known = find_operator(op(i).name);
  if (known == nullptr && !parts_.is_leaf(i)) return false;
  if (known != nullptr && known->form == OperatorForm::attention && is_spelled_out(i)) return false;
  // Mixed precision casts parameters before products; that belongs to the products.
  if (known != nullptr && known->form == OperatorForm::cast) {
    add_loose(i, op(i).end, WorkClass::memory, WorkPass::forward);
    return true;
  }
  const OperatorInputs inputs = operator_inputs(op(i).arguments);
  const OperatorPlace place{batch_, trains_, pool_};
  std::optional<OperatorLayer> made =
      known != nullptr ? layer_of_operator(*known, inputs, place) : layer_of_inputs(inputs, place);
  if (!made) return known != nullptr && known->form == OperatorForm::dropout;  // it does nothing
  if (is_compiled_kernel(op(i).name)) made->layer.cost.forward_elements *= kOnlyOnce;
  push(i, inputs, std::move(*made));
  return true;
}

// Attention that no single kernel computes is a chain of products.
bool StepReader::is_spelled_out(std::size_t i) const {
  if (!parts_.on_gpu()) return false;
  for (std::size_t inner = i + 1; inner < op(i).end; ++inner) {
    if (op(inner).name == "aten::_scaled_dot_product_attention_math") return true;
  }
  return false;
}

void StepReader::push(std::size_t i, const OperatorInputs& inputs, OperatorLayer made) {
  const LaunchedWork launched = parts_.work_in(i, op(i).end);
  StepLayerSeen seen;
  WorkLayer& layer = seen.layer;
  layer.name = op(i).name;
  layer.op = to_string(made.layer.op);
  layer.output = made.layer.output;
  for (Parameter& parameter : made.layer.parameters) layer.parameters.push_back(std::move(parameter.shape));
  layer.shares_weight = made.layer.weight_of >= 0;
  layer.dtype = computed_in(i, inputs);
  layer.kernel = made.layer.kernel;
  layer.kernel_width = made.layer.kernel_width;
  layer.stride = made.layer.stride;
  layer.groups = made.layer.groups;
  layer.heads = made.layer.heads;
  layer.causal = made.layer.causal;
  layer.forward_ops = made.layer.cost.forward_ops;
  layer.backward_ops = made.layer.cost.backward_ops;
  layer.forward_elements = made.layer.cost.forward_elements;
  layer.backward_elements = made.layer.cost.backward_elements;
  layer.forward_s = launched.s;
  seen.kind = made.kind;
  seen.follows_batch = made.follows_batch;
  seen.compiled = parts_.is_compiled_code(i);
  seen.forward_launches = launched.count;
  trains_ = trains_ || !layer.parameters.empty() || layer.shares_weight;
  first_op_.push_back(i);
  result_.layers.push_back(std::move(seen));
}

// Mixed precision enters a product with one type and computes it in another.
std::string StepReader::computed_in(std::size_t i, const OperatorInputs& inputs) const {
  const KnownOperator* const outer = find_operator(op(i).name);
  std::string dtype = dtype_of(inputs);
  if (outer == nullptr || outer->op == Op::other) return dtype;
  for (std::size_t inner = i + 1; inner < op(i).end; ++inner) {
    const KnownOperator* const known = find_operator(op(inner).name);
    if (known == nullptr || known->kind != outer->kind) continue;
    if (std::string type = dtype_of(operator_inputs(op(inner).arguments)); !type.empty()) dtype = std::move(type);
  }
  return dtype;
}

// Ops are read thread by thread.
void StepReader::order_by_time() {
  std::vector<std::size_t> order(result_.layers.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return op(first_op_[i]).time.start_ns; });
  std::vector<StepLayerSeen> layers;
  std::vector<std::size_t> first;
  for (const std::size_t i : order) {
    layers.push_back(std::move(result_.layers[i]));
    first.push_back(first_op_[i]);
  }
  result_.layers = std::move(layers);
  first_op_ = std::move(first);
}

// The last operator that ran with a sequence number made the node of the backward pass that bears it.
void StepReader::note_sequences() {
  std::map<std::int64_t, std::size_t> layer_at;  // by the time of their first op
  for (std::size_t i = 0; i < first_op_.size(); ++i) layer_at[op(first_op_[i]).time.start_ns] = i;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    if (parts_.of(i) != StepPart::forward || !op(i).sequence || !parts_.in_step(i)) continue;
    auto after = layer_at.upper_bound(op(i).time.start_ns);
    if (after == layer_at.begin()) continue;
    layer_of_sequence_[*op(i).sequence] = std::prev(after)->second;
  }
}

}  // namespace stash
