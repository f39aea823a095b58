#include <algorithm>

#include "stash/import/step_reader.h"

namespace stash {
namespace {

constexpr std::string_view kCompiledBackward = "CompiledFunctionBackward";

}  // namespace

void StepReader::read_backward() {
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    if (parts_.of(i) != StepPart::backward || !parts_.in_step(i) || !op(i).name.starts_with(StepParts::kBackwardNode))
      continue;
    const bool compiled = op(i).name.find(kCompiledBackward) != std::string::npos;
    const auto owner = op(i).sequence ? layer_of_sequence_.find(*op(i).sequence) : layer_of_sequence_.end();
    if (compiled) {
      read_compiled_backward(i);
    } else if (owner == layer_of_sequence_.end()) {
      add_loose(i, op(i).end, WorkClass::memory, WorkPass::backward);
    } else {
      give_backward(i, owner->second);
    }
    i = op(i).end - 1;
  }
  drop_what_does_not_train();
}

// Nested communication waits and does not compute.
LaunchedWork StepReader::backward_work(std::size_t node) const {
  LaunchedWork work = parts_.work_in(node, op(node).end);
  if (parts_.on_gpu()) return work;
  for (std::size_t i = node + 1; i < op(node).end; ++i) {
    const bool outer = parts_.of(i) == StepPart::aside && parts_.of(op(i).parent) != StepPart::aside;
    if (outer) work.s -= static_cast<double>(op(i).ns()) * kTraceTick_s;
  }
  work.s = std::max(0.0, work.s);
  return work;
}

void StepReader::give_backward(std::size_t node, std::size_t owner) {
  StepLayerSeen& seen = result_.layers[owner];
  const LaunchedWork work = backward_work(node);
  seen.layer.backward_s += work.s;
  seen.backward_launches += work.count;
  has_backward_.insert(owner);
  const double per_sample = 1.0 / std::max(1, batch_);
  for (std::size_t i = node + 1; i < op(node).end; ++i) {
    if (parts_.of(i) != StepPart::backward || !parts_.is_leaf(i)) continue;
    const bool adds_gradients = op(i).parent == node && op(i).name.starts_with("aten::add");
    const bool is_other = seen.layer.op == to_string(Op::other);
    if (!adds_gradients && !is_other) continue;
    const double elements = elements_of(operator_inputs(op(i).arguments)) * per_sample;
    if (elements * std::max(1, batch_) < 2) continue;
    seen.layer.backward_elements += elements;
    if (is_other) ++seen.layer.index;
  }
}

// What came before anything that is learned, or belongs to a frozen part, has no backward pass.
void StepReader::drop_what_does_not_train() {
  for (std::size_t i = 0; i < result_.layers.size(); ++i) {
    StepLayerSeen& seen = result_.layers[i];
    if (seen.compiled || has_backward_.contains(i)) continue;
    seen.layer.backward_ops = seen.layer.backward_elements = 0;
  }
}

}  // namespace stash
