#include "stash/import/operator_layer.h"

#include <algorithm>

#include "stash/models/cost.h"

namespace stash {
namespace {

// A tensor without its batch.
struct Sample {
  Shape shape;
  bool follows = true;
};

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

// One of the images that an operator is given, and how many there are for each sample; of an unknown batch, or one that
// the images do not follow, all of them.
struct Images {
  Shape one;
  std::int64_t count = 1;
};

// Images above each other: as many values as `count` of them, and rows that are as long.
Shape stacked(Shape one, std::int64_t count) {
  if (one.size() > 1) one[1] = element_count_of({one[1], count});
  return one;
}

class LayerMaker {
 public:
  LayerMaker(const KnownOperator& known, const OperatorInputs& inputs, const OperatorPlace& place)
      : known_(known), inputs_(inputs), place_(place) {
    made_.layer.op = known.op;
    made_.kind = known.kind;
  }

  std::optional<OperatorLayer> make() {
    if (!fill()) return std::nullopt;
    return std::move(made_);
  }

 private:
  bool fill() {
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

  Sample sample(const Dims& dims) {
    Sample one = sample_of(dims, place_.batch);
    made_.follows_batch = made_.follows_batch && one.follows;
    return one;
  }

  std::optional<Images> images(const Dims& dims, std::size_t dimensions) {
    const Sample in = sample(dims);
    if (in.shape.size() == dimensions) return Images{in.shape};
    if (in.shape.size() != dimensions + 1) return std::nullopt;
    return Images{Shape(in.shape.begin() + 1, in.shape.end()), std::max<std::int64_t>(1, in.shape[0])};
  }

  // Priced as one of them.
  bool price(const Images& images) {
    price({images.one});
    scale(static_cast<double>(images.count));
    made_.layer.output = stacked(made_.layer.output, images.count);
    return true;
  }

  // Costs of a shape that holds the whole batch count as a sample's share of it.
  double share() const { return made_.follows_batch || place_.batch < 1 ? 1 : 1.0 / place_.batch; }

  bool price(std::initializer_list<Shape> inputs) {
    const std::vector<Shape> shapes(inputs);
    made_.layer.cost = cost_of(made_.layer, shapes, place_.trains);
    scale(share());
    return true;
  }

  void scale(double ratio) {
    Cost& cost = made_.layer.cost;
    for (double* one : {&cost.forward_ops, &cost.backward_ops, &cost.forward_elements, &cost.backward_elements}) {
      *one *= ratio;
    }
  }

  // Where a weight is not trained its gradient is not made.
  WeightUse take(const Dims& weight, const Dims* bias) {
    const WeightUse use = place_.parameters.take(weight);
    if (use == WeightUse::own) made_.layer.parameters.push_back({"weight", weight});
    if (use == WeightUse::shared) made_.layer.weight_of = 0;
    if (bias != nullptr && place_.parameters.take(*bias) == WeightUse::own) {
      made_.layer.parameters.push_back({"bias", *bias});
    }
    return use;
  }

  void leave_out_weight_gradient(WeightUse use) {
    if (use != WeightUse::frozen) return;
    made_.layer.cost.backward_ops /= 2;
    made_.layer.cost.backward_elements /= 2;
    if (!place_.trains) made_.layer.cost.backward_ops = made_.layer.cost.backward_elements = 0;
  }

  static std::int64_t extent(std::int64_t in, std::int64_t kernel, std::int64_t stride, std::int64_t padding,
                             std::int64_t dilation, bool ceil_mode = false) {
    const std::int64_t free = in + 2 * padding - dilation * (kernel - 1) - 1;
    if (stride < 1 || free < 0) return 1;
    std::int64_t steps = ceil_mode ? (free + stride - 1) / stride : free / stride;
    if (ceil_mode && steps * stride >= in + padding) --steps;
    return steps + 1;
  }

  bool fill_convolution() {
    const Dims* const x = inputs_.tensor(0);
    const Dims* const weight = inputs_.tensor(1);
    if (x == nullptr || weight == nullptr || weight->size() < 3 || x->size() != weight->size()) return false;
    const std::size_t space = weight->size() - 2;
    const auto stride = inputs_.list(3, space, 1), padding = inputs_.list(4, space, 0);
    const auto dilation = inputs_.list(5, space, 1), more = inputs_.list(7, space, 0);
    const bool transposed = inputs_.is_true(6);
    const auto groups = std::max<std::int64_t>(1, inputs_.list(8, 1, 1)[0]);
    const std::optional<Images> in = images(*x, space + 1);
    if (!in) return false;
    Layer& layer = made_.layer;
    layer.output = {transposed ? (*weight)[1] * groups : (*weight)[0]};
    for (std::size_t i = 0; i < space; ++i) {
      const std::int64_t from = in->one[i + 1], kernel = (*weight)[i + 2];
      layer.output.push_back(transposed ? std::max<std::int64_t>(1, (from - 1) * stride[i] - 2 * padding[i] +
                                                                        dilation[i] * (kernel - 1) + more[i] + 1)
                                        : extent(from, kernel, stride[i], padding[i], dilation[i]));
    }
    layer.kernel = space == 1 ? 1 : static_cast<int>((*weight)[2]);
    layer.kernel_width = static_cast<int>(weight->back());
    if (space == 3) layer.kernel *= static_cast<int>((*weight)[3]);
    layer.stride = static_cast<int>(stride[0]);
    layer.groups = static_cast<int>(groups);
    const WeightUse use = take(*weight, inputs_.tensor(2));
    layer.bias = inputs_.tensor(2) != nullptr;
    price(*in);
    if (transposed) {  // the gradient of a convolution from the output to the input
      const double per_input = static_cast<double>(element_count_of(*weight)) / static_cast<double>((*weight)[0]);
      const double ops =
          2 * static_cast<double>(element_count(in->one)) * static_cast<double>(in->count) * per_input * share();
      made_.layer.cost.forward_ops = ops;
      made_.layer.cost.backward_ops = place_.trains ? 2 * ops : ops;
    }
    leave_out_weight_gradient(use);
    return true;
  }

  // `x` has features last; the weight is {outputs, inputs}, or the other way round.
  bool fill_linear(std::size_t x, std::size_t weight, const Dims* bias, bool outputs_first) {
    const Dims* const input = inputs_.tensor(x);
    const Dims* const matrix = inputs_.tensor(weight);
    if (input == nullptr || matrix == nullptr || matrix->size() != 2) return false;
    const std::int64_t outputs = (*matrix)[outputs_first ? 0 : 1], features = (*matrix)[outputs_first ? 1 : 0];
    if (features < 1 || input->back() != features) return false;
    Sample in = sample(*input);
    if (in.shape.size() == 1 && in.shape[0] != features) in.shape = {in.shape[0], features};
    Dims own = *matrix;
    const Dims turned{own[1], own[0]};
    if (!outputs_first && place_.parameters.knows() && place_.parameters.has(turned)) own = turned;
    const WeightUse use = take(own, bias);
    // {tokens folded, features} of one sample each is a vector.
    if (in.shape.size() == 2 && in.shape[0] == 1) in.shape.erase(in.shape.begin());
    made_.layer.output = in.shape;
    made_.layer.output.back() = outputs;
    made_.layer.bias = bias != nullptr;
    price({in.shape});
    leave_out_weight_gradient(use);
    return true;
  }

  // A product with a parameter, or of two things that were computed.
  bool fill_product(std::size_t left, std::size_t right, const Dims* bias) {
    const Dims* const a = inputs_.tensor(left);
    const Dims* const b = inputs_.tensor(right);
    if (a == nullptr || b == nullptr || a->size() < 2 || b->size() < 2) return false;
    if (b->size() == 2 && is_parameter(*b)) return fill_linear(left, right, bias, false);
    const std::int64_t rows = (*a)[a->size() - 2], inner = a->back(), columns = b->back();
    if (inner < 1 || (*b)[b->size() - 2] != inner) return false;
    const Dims& larger = a->size() >= b->size() ? *a : *b;
    const double stacks = static_cast<double>(element_count_of(larger)) /
                          static_cast<double>(std::max<std::int64_t>(1, larger.back() * larger[larger.size() - 2]));
    const Sample in = sample(*a);
    made_.layer.output = in.shape;
    made_.layer.output.back() = columns;
    const double out = stacks * static_cast<double>(rows) * static_cast<double>(columns);
    const double elements = static_cast<double>(element_count_of(*a)) + static_cast<double>(element_count_of(*b)) + out;
    Cost& cost = made_.layer.cost;
    cost = {2 * out * static_cast<double>(inner), 4 * out * static_cast<double>(inner), elements, 2 * elements};
    scale(place_.batch < 1 ? 1 : 1.0 / place_.batch);
    return true;
  }

  // Products of gradients are in the backward pass; here a matrix is a weight unless the script trains none like it.
  bool is_parameter(const Dims& matrix) const {
    if (!place_.parameters.knows()) return true;
    return place_.parameters.has(matrix) || place_.parameters.has({matrix[1], matrix[0]});
  }

  bool fill_attention() {
    const Dims* const query = inputs_.tensor(0);
    const Dims* const key = inputs_.tensor(1);
    const Dims* const value = inputs_.tensor(2);
    if (query == nullptr || key == nullptr || value == nullptr || query->size() != 4 || key->size() != 4) return false;
    sample(*query);
    const std::int64_t samples = std::max<std::int64_t>(1, place_.batch < 1 ? (*query)[0] : place_.batch);
    const double per_sample = 1.0 / static_cast<double>(samples);
    const std::int64_t heads = (*query)[1], tokens = (*query)[2];
    Layer& layer = made_.layer;
    layer.heads = static_cast<int>(std::min<std::int64_t>(heads, 1 << 20));
    layer.output = {tokens * std::max<std::int64_t>(1, (*query)[0] / samples), heads * value->back()};
    const bool by_name = known_.name == "aten::scaled_dot_product_attention";
    layer.causal = inputs_.is_true(by_name ? 5 : 4);
    const auto all = [](const Dims* dims) { return static_cast<double>(element_count_of(*dims)); };
    const double out =
        all(query) / static_cast<double>(std::max<std::int64_t>(1, query->back())) * static_cast<double>(value->back());
    const double in = all(query) + all(key) + all(value);
    const double ops = 2 * (all(query) + out) * static_cast<double>((*key)[2]);
    layer.cost = {ops, ops * 5 / 2, in + out, 2 * in + 2 * out};
    scale(place_.batch < 1 ? 1 : per_sample);
    return true;
  }

  bool fill_norm() {
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

  bool fill_unary() {
    const Dims* const x = inputs_.tensor(0);
    if (x == nullptr) return false;
    made_.layer.output = sample(*x).shape;
    return price({made_.layer.output});
  }

  // Of a residual; of a learned position; of a bias or a mask.
  bool fill_sum() {
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

  bool fill_pool() {
    const Dims* const x = inputs_.tensor(0);
    if (x == nullptr || x->size() != 4) return false;
    const std::optional<Images> in = images(*x, 3);
    if (!in) return false;
    const bool is_max = known_.form == OperatorForm::max_pool;
    const auto kernel = inputs_.list(1, 2, 1);
    auto stride = inputs_.list(2, 2, 0);
    if (stride[0] < 1) stride = kernel;
    const auto padding = inputs_.list(3, 2, 0);
    const auto dilation = is_max ? inputs_.list(4, 2, 1) : std::vector<std::int64_t>{1, 1};
    const bool ceil_mode = inputs_.is_true(is_max ? 5 : 4);
    made_.layer.kernel = static_cast<int>(std::clamp<std::int64_t>(kernel[0], 1, 1 << 16));
    made_.layer.stride = static_cast<int>(std::clamp<std::int64_t>(stride[0], 1, 1 << 16));
    made_.layer.output = {in->one[0], extent(in->one[1], kernel[0], stride[0], padding[0], dilation[0], ceil_mode),
                          extent(in->one[2], kernel[1], stride[1], padding[1], dilation[1], ceil_mode)};
    return price(*in);
  }

  bool fill_adaptive_pool() {
    const Dims* const x = inputs_.tensor(0);
    if (x == nullptr || x->size() != 4) return false;
    const std::optional<Images> in = images(*x, 3);
    if (!in) return false;
    const auto size = inputs_.list(1, 2, 1);
    made_.layer.kernel = static_cast<int>(std::clamp<std::int64_t>(size[0], 1, 1 << 16));
    made_.layer.output = {in->one[0], std::max<std::int64_t>(1, size[0]), std::max<std::int64_t>(1, size[1])};
    return price(*in);
  }

  bool fill_mean() {
    const Dims* const x = inputs_.tensor(0);
    if (x == nullptr || element_count_of(*x) < 2) return false;
    const Sample in = sample(*x);
    if (in.shape.size() != 3 || inputs_.list(1, 2, 0) == std::vector<std::int64_t>{0, 0}) return fill_other();
    made_.layer.output = {in.shape[0]};
    return price({in.shape});
  }

  bool fill_embedding() {
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

  bool fill_loss() {
    const Dims* const logits = inputs_.tensor(0);
    if (logits == nullptr) return false;
    return price({sample(*logits).shape});  // and no output
  }

  bool fill_other() {
    const std::optional<OperatorLayer> other = layer_of_inputs(inputs_, place_);
    if (!other) return false;
    const WorkClass kind = made_.kind;
    made_ = *other;
    made_.kind = kind;
    return true;
  }

  const KnownOperator& known_;
  const OperatorInputs& inputs_;
  const OperatorPlace& place_;
  OperatorLayer made_;
};

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
