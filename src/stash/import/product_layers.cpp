#include <algorithm>

#include "stash/import/layer_maker.h"

// Layers of matrix products.
namespace stash {

// `x` has features last; the weight is {outputs, inputs}, or the other way round.
bool LayerMaker::fill_linear(std::size_t x, std::size_t weight, const Dims* bias, bool outputs_first) {
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
bool LayerMaker::fill_product(std::size_t left, std::size_t right, const Dims* bias) {
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
bool LayerMaker::is_parameter(const Dims& matrix) const {
  if (!place_.parameters.knows()) return true;
  return place_.parameters.has(matrix) || place_.parameters.has({matrix[1], matrix[0]});
}

bool LayerMaker::fill_attention() {
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

}  // namespace stash
