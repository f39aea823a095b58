#pragma once

#include <initializer_list>

#include "stash/import/operator_layer.h"

namespace stash {

// A tensor without its batch.
struct Sample {
  Shape shape;
  bool follows = true;
};

// What of a tensor follows the batch; batch 0: unknown.
Sample sample_of(const Dims& dims, int batch);

// One of the images that an operator is given, and how many there are for each sample; of an unknown batch, or one that
// the images do not follow, all of them.
struct Images {
  Shape one;
  std::int64_t count = 1;
};

// An operator of a known form to a layer, by its arguments. Used once. A `fill…` returns false where they do not tell.
class LayerMaker {
 public:
  LayerMaker(const KnownOperator& known, const OperatorInputs& inputs, const OperatorPlace& place);
  std::optional<OperatorLayer> make();

 private:
  bool fill();
  Sample sample(const Dims& dims);
  // Costs of a shape that holds the whole batch count as a sample's share of it.
  double share() const { return made_.follows_batch || place_.batch < 1 ? 1 : 1.0 / place_.batch; }
  bool price(std::initializer_list<Shape> inputs);
  void scale(double ratio);
  WeightUse take(const Dims& weight, const Dims* bias);
  void leave_out_weight_gradient(WeightUse use);

  // product_layers.cpp
  bool fill_linear(std::size_t x, std::size_t weight, const Dims* bias, bool outputs_first);
  bool fill_product(std::size_t left, std::size_t right, const Dims* bias);
  bool is_parameter(const Dims& matrix) const;
  bool fill_attention();

  // image_layers.cpp
  std::optional<Images> images(const Dims& dims, std::size_t dimensions);
  bool price(const Images& images);
  bool fill_convolution();
  bool fill_pool();
  bool fill_adaptive_pool();
  bool fill_mean();

  bool fill_norm();
  bool fill_unary();
  bool fill_sum();
  bool fill_embedding();
  bool fill_loss();
  bool fill_other();

  const KnownOperator& known_;
  const OperatorInputs& inputs_;
  const OperatorPlace& place_;
  OperatorLayer made_;
};

}  // namespace stash
