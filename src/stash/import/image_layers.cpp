#include <algorithm>

#include "stash/import/layer_maker.h"

// Layers of images: convolutions, pools, means.
namespace stash {
namespace {

// Images above each other: as many values as `count` of them, and rows that are as long.
Shape stacked(Shape one, std::int64_t count) {
  if (one.size() > 1) one[1] = element_count_of({one[1], count});
  return one;
}

std::int64_t extent(std::int64_t in, std::int64_t kernel, std::int64_t stride, std::int64_t padding,
                    std::int64_t dilation, bool ceil_mode = false) {
  const std::int64_t free = in + 2 * padding - dilation * (kernel - 1) - 1;
  if (stride < 1 || free < 0) return 1;
  std::int64_t steps = ceil_mode ? (free + stride - 1) / stride : free / stride;
  if (ceil_mode && steps * stride >= in + padding) --steps;
  return steps + 1;
}

}  // namespace

std::optional<Images> LayerMaker::images(const Dims& dims, std::size_t dimensions) {
  const Sample in = sample(dims);
  if (in.shape.size() == dimensions) return Images{in.shape};
  if (in.shape.size() != dimensions + 1) return std::nullopt;
  return Images{Shape(in.shape.begin() + 1, in.shape.end()), std::max<std::int64_t>(1, in.shape[0])};
}

// Priced as one of them.
bool LayerMaker::price(const Images& images) {
  price({images.one});
  scale(static_cast<double>(images.count));
  made_.layer.output = stacked(made_.layer.output, images.count);
  return true;
}

bool LayerMaker::fill_convolution() {
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

bool LayerMaker::fill_pool() {
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

bool LayerMaker::fill_adaptive_pool() {
  const Dims* const x = inputs_.tensor(0);
  if (x == nullptr || x->size() != 4) return false;
  const std::optional<Images> in = images(*x, 3);
  if (!in) return false;
  const auto size = inputs_.list(1, 2, 1);
  made_.layer.kernel = static_cast<int>(std::clamp<std::int64_t>(size[0], 1, 1 << 16));
  made_.layer.output = {in->one[0], std::max<std::int64_t>(1, size[0]), std::max<std::int64_t>(1, size[1])};
  return price(*in);
}

bool LayerMaker::fill_mean() {
  const Dims* const x = inputs_.tensor(0);
  if (x == nullptr || element_count_of(*x) < 2) return false;
  const Sample in = sample(*x);
  if (in.shape.size() != 3 || inputs_.list(1, 2, 0) == std::vector<std::int64_t>{0, 0}) return fill_other();
  made_.layer.output = {in.shape[0]};
  return price({in.shape});
}

}  // namespace stash
