#include "stash/import/operator_layer.h"

#include <algorithm>

#include "stash/import/layer_maker.h"
#include "stash/models/cost.h"

namespace stash {
namespace {

const Dims* largest_of(const OperatorInputs& inputs) {
  const Dims* largest = nullptr;
  for (const OperatorInput& input : inputs.inputs) {
    for (const Dims& dims : input.tensors) {
      if (largest == nullptr || element_count_of(dims) > element_count_of(*largest)) largest = &dims;
    }
  }
  return largest;
}

}  // namespace

Sample sample_of(const Dims& dims, int batch) {
  if (batch < 1 || dims.empty()) return {dims, false};
  Shape shape = dims;
  if (dims[0] == batch) {
    shape.erase(shape.begin());
    if (shape.empty()) shape = {1};
    return {shape, true};
  }
  if (dims[0] > 0 && dims[0] % batch == 0) {  // samples, tokens or heads folded into one dimension
    shape[0] /= batch;
    return {shape, true};
  }
  if (dims.size() > 1 && dims[1] == batch) {  // time comes first
    shape.erase(shape.begin() + 1);
    return {shape, true};
  }
  return {shape, false};
}

LayerMaker::LayerMaker(const KnownOperator& known, const OperatorInputs& inputs, const OperatorPlace& place)
    : known_(known), inputs_(inputs), place_(place) {
  made_.layer.op = known.op;
  made_.kind = known.kind;
}

std::optional<OperatorLayer> LayerMaker::make() {
  if (!fill()) return std::nullopt;
  return std::move(made_);
}

bool LayerMaker::fill() {
  switch (known_.form) {
    case OperatorForm::convolution:
      return fill_convolution();
    case OperatorForm::linear:
      return fill_linear(0, 1, inputs_.tensor(2), true);
    case OperatorForm::biased_product:
      return fill_product(1, 2, inputs_.tensor(0));
    case OperatorForm::product:
      return fill_product(0, 1, nullptr);
    case OperatorForm::attention:
      return fill_attention();
    case OperatorForm::norm:
      return fill_norm();
    case OperatorForm::unary:
      return fill_unary();
    case OperatorForm::sum:
      return fill_sum();
    case OperatorForm::max_pool:
    case OperatorForm::avg_pool:
      return fill_pool();
    case OperatorForm::adaptive_pool:
      return fill_adaptive_pool();
    case OperatorForm::space_mean:
      return fill_mean();
    case OperatorForm::embedding:
      return fill_embedding();
    case OperatorForm::dropout:
      return inputs_.is_true(2) && inputs_.number(1).value_or(0) > 0 && fill_unary();
    case OperatorForm::loss:
      return fill_loss();
    case OperatorForm::cast:
    case OperatorForm::other:
      return fill_other();
  }
  return false;
}

Sample LayerMaker::sample(const Dims& dims) {
  Sample one = sample_of(dims, place_.batch);
  made_.follows_batch = made_.follows_batch && one.follows;
  return one;
}

bool LayerMaker::price(std::initializer_list<Shape> inputs) {
  const std::vector<Shape> shapes(inputs);
  made_.layer.cost = cost_of(made_.layer, shapes, place_.trains);
  scale(share());
  return true;
}

void LayerMaker::scale(double ratio) {
  Cost& cost = made_.layer.cost;
  for (double* one : {&cost.forward_ops, &cost.backward_ops, &cost.forward_elements, &cost.backward_elements}) {
    *one *= ratio;
  }
}

// Where a weight is not trained its gradient is not made.
WeightUse LayerMaker::take(const Dims& weight, const Dims* bias) {
  const WeightUse use = place_.parameters.take(weight);
  if (use == WeightUse::own) made_.layer.parameters.push_back({"weight", weight});
  if (use == WeightUse::shared) made_.layer.weight_of = 0;
  if (bias != nullptr && place_.parameters.take(*bias) == WeightUse::own) {
    made_.layer.parameters.push_back({"bias", *bias});
  }
  return use;
}

void LayerMaker::leave_out_weight_gradient(WeightUse use) {
  if (use != WeightUse::frozen) return;
  made_.layer.cost.backward_ops /= 2;
  made_.layer.cost.backward_elements /= 2;
  if (!place_.trains) made_.layer.cost.backward_ops = made_.layer.cost.backward_elements = 0;
}

bool LayerMaker::fill_norm() {
  const Dims* const x = inputs_.tensor(0);
  if (x == nullptr) return false;
  const Sample in = sample(*x);
  made_.layer.output = in.shape;
  for (std::size_t i = 1; i < inputs_.inputs.size() && made_.layer.parameters.size() < 2; ++i) {
    const Dims* const learned = inputs_.tensor(i);
    if (learned == nullptr || learned->size() != 1) continue;
    if (place_.parameters.take(*learned) == WeightUse::own) made_.layer.parameters.push_back({"weight", *learned});
  }
  return price({in.shape});
}

bool LayerMaker::fill_unary() {
  const Dims* const x = inputs_.tensor(0);
  if (x == nullptr) return false;
  made_.layer.output = sample(*x).shape;
  return price({made_.layer.output});
}

// Of a residual; of a learned position; of a bias or a mask.
bool LayerMaker::fill_sum() {
  const Dims* const left = inputs_.tensor(0);
  const Dims* const right = inputs_.tensor(1);
  if (left == nullptr) return false;
  if (right == nullptr) return fill_other();
  const bool left_is_larger = element_count_of(*left) >= element_count_of(*right);
  const Dims& large = left_is_larger ? *left : *right;
  Dims small = left_is_larger ? *right : *left;
  if (element_count_of(large) < 2) return false;
  if (large == small) {
    made_.layer.output = sample(large).shape;
    return price({made_.layer.output, made_.layer.output});
  }
  const bool is_learned =
      place_.parameters.knows() && place_.parameters.has(small) && place_.parameters.take(small) == WeightUse::own;
  if (!is_learned) return fill_other();
  made_.layer.op = Op::position;
  made_.layer.parameters.push_back({"weight", small});
  made_.layer.output = sample(large).shape;
  return price({made_.layer.output});
}

bool LayerMaker::fill_embedding() {
  const Dims* const rows = inputs_.tensor(0);
  const Dims* const indices = inputs_.tensor(1);
  if (rows == nullptr || indices == nullptr || rows->size() != 2) return false;
  const Sample in = sample(*indices);
  const bool one_for_all = place_.batch > 1 && indices->front() == 1 && indices->size() > 1;  // positions
  made_.layer.output = in.shape;
  made_.layer.output.push_back(rows->back());
  take(*rows, nullptr);
  price({in.shape});
  made_.follows_batch = made_.follows_batch || one_for_all;  // too little to matter
  return true;
}

bool LayerMaker::fill_loss() {
  const Dims* const logits = inputs_.tensor(0);
  if (logits == nullptr) return false;
  return price({sample(*logits).shape});  // and no output
}

bool LayerMaker::fill_other() {
  const std::optional<OperatorLayer> other = layer_of_inputs(inputs_, place_);
  if (!other) return false;
  const WorkClass kind = made_.kind;
  made_ = *other;
  made_.kind = kind;
  return true;
}

double elements_of(const OperatorInputs& inputs) {
  double read = 0, written = 0;
  for (const OperatorInput& input : inputs.inputs) {
    double whole = 0;
    for (const Dims& dims : input.tensors) whole += static_cast<double>(element_count_of(dims));
    read += whole;
    written = std::max(written, whole);
  }
  return read + written;
}

std::optional<OperatorLayer> layer_of_inputs(const OperatorInputs& inputs, const OperatorPlace& place) {
  const Dims* const largest = largest_of(inputs);
  if (largest == nullptr || element_count_of(*largest) < 2) return std::nullopt;
  const Sample sample = sample_of(*largest, place.batch);
  OperatorLayer made;
  made.layer.op = Op::other;
  made.layer.groups = 1;
  made.layer.output = sample.shape;
  made.follows_batch = sample.follows;
  made.layer.cost.forward_elements = elements_of(inputs) / std::max(1, place.batch);
  return made;
}

std::optional<OperatorLayer> layer_of_operator(const KnownOperator& known, const OperatorInputs& inputs,
                                               const OperatorPlace& place) {
  return LayerMaker(known, inputs, place).make();
}

}  // namespace stash
