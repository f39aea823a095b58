#include "stash/models/builder.h"

#include <fmt/format.h>

#include <utility>

#include "stash/core/error.h"
#include "stash/models/cost.h"

namespace stash {
namespace {

Layer make_layer(Op op, const std::string& name, std::vector<int> inputs, Shape output) {
  Layer layer;
  layer.op = op;
  layer.name = name;
  layer.inputs = std::move(inputs);
  layer.output = std::move(output);
  return layer;
}

std::int64_t ceil_divide(std::int64_t value, std::int64_t by) { return (value + by - 1) / by; }

Shape with_last(Shape shape, std::int64_t features) {
  shape.back() = features;
  return shape;
}

void add_scale_and_shift(Layer& layer, std::int64_t features) {
  layer.parameters = {{layer.name + ".weight", {features}}, {layer.name + ".bias", {features}}};
}

}  // namespace

Builder::Builder(std::string model) { graph_.name = std::move(model); }

const Shape& Builder::output(int layer) const { return graph_.layers.at(static_cast<std::size_t>(layer)).output; }

int Builder::push(Layer layer) {
  std::vector<Shape> shapes;
  bool input_needs_gradient = false;
  for (int input : layer.inputs) {
    shapes.push_back(output(input));
    input_needs_gradient = input_needs_gradient || needs_gradient_[static_cast<std::size_t>(input)];
  }
  layer.cost = cost_of(layer, shapes, input_needs_gradient);
  needs_gradient_.push_back(input_needs_gradient || !layer.parameters.empty());
  graph_.layers.push_back(std::move(layer));
  return static_cast<int>(graph_.layers.size()) - 1;
}

// Follows torch: with ceil_mode the last window must start inside the input or its left padding.
std::int64_t Builder::pooled_extent(const std::string& name, std::int64_t extent, const Pooling& spec) const {
  const std::int64_t free = extent + 2 * spec.padding - spec.kernel;
  std::int64_t steps = free < 0 ? -1 : free / spec.stride;
  if (spec.ceil_mode && free >= 0) steps = ceil_divide(free, spec.stride);
  if (spec.ceil_mode && steps * spec.stride >= extent + spec.padding) --steps;
  if (steps < 0) {
    throw UsageError(fmt::format("{} cannot take images of {} pixels: nothing is left for its layer '{}'", graph_.name,
                                 graph_.image_size, name));
  }
  return steps + 1;
}

int Builder::image(int size) {
  graph_.input = InputKind::images;
  graph_.image_size = size;
  return push(make_layer(Op::image, "input", {}, {3, size, size}));
}

int Builder::tokens(int seq_len, int vocabulary) {
  graph_.input = InputKind::tokens;
  graph_.seq_len = seq_len;
  graph_.classes = vocabulary;
  return push(make_layer(Op::tokens, "input", {}, {seq_len}));
}

int Builder::conv2d(const std::string& name, int input, const Convolution& spec) {
  const Shape& in = output(input);
  const Pooling down{spec.kernel, spec.stride, spec.padding};
  const Pooling across{spec.kernel_width.value_or(spec.kernel), spec.stride, spec.padding_width.value_or(spec.padding)};
  Layer layer = make_layer(Op::conv2d, name, {input},
                           {spec.channels, pooled_extent(name, in[1], down), pooled_extent(name, in[2], across)});
  layer.kernel = down.kernel;
  layer.kernel_width = across.kernel;
  layer.stride = spec.stride;
  layer.padding = down.padding;
  layer.padding_width = across.padding;
  layer.groups = spec.groups;
  layer.bias = spec.bias;
  layer.parameters = {{name + ".weight", {spec.channels, in[0] / spec.groups, down.kernel, across.kernel}}};
  if (spec.bias) layer.parameters.push_back({name + ".bias", {spec.channels}});
  return push(std::move(layer));
}

int Builder::batch_norm(const std::string& name, int input, double epsilon) {
  Layer layer = make_layer(Op::batch_norm, name, {input}, output(input));
  layer.epsilon = epsilon;
  add_scale_and_shift(layer, layer.output[0]);
  return push(std::move(layer));
}

int Builder::activation(Op op, const std::string& name, int input) {
  return push(make_layer(op, name, {input}, output(input)));
}

int Builder::pool2d(Op op, const std::string& name, int input, const Pooling& spec) {
  const Shape& in = output(input);
  Layer layer =
      make_layer(op, name, {input}, {in[0], pooled_extent(name, in[1], spec), pooled_extent(name, in[2], spec)});
  layer.kernel = spec.kernel;
  layer.stride = spec.stride;
  layer.padding = spec.padding;
  layer.ceil_mode = spec.ceil_mode;
  return push(std::move(layer));
}

int Builder::max_pool2d(const std::string& name, int input, const Pooling& spec) {
  return pool2d(Op::max_pool2d, name, input, spec);
}

int Builder::avg_pool2d(const std::string& name, int input, const Pooling& spec) {
  return pool2d(Op::avg_pool2d, name, input, spec);
}

int Builder::adaptive_avg_pool2d(const std::string& name, int input, int size) {
  Layer layer = make_layer(Op::adaptive_avg_pool2d, name, {input}, {output(input)[0], size, size});
  layer.kernel = size;
  return push(std::move(layer));
}

int Builder::linear(const std::string& name, int input, int features, bool bias, const std::string& separator) {
  const Shape& in = output(input);
  Layer layer = make_layer(Op::linear, name, {input}, with_last(in, features));
  layer.bias = bias;
  layer.parameters = {{name + separator + "weight", {features, in.back()}}};
  if (bias) layer.parameters.push_back({name + separator + "bias", {features}});
  return push(std::move(layer));
}

int Builder::tied_linear(const std::string& name, int input, int embedding, bool bias) {
  const Parameter& weight = graph_.layers.at(static_cast<std::size_t>(embedding)).parameters.at(0);
  Layer layer = make_layer(Op::linear, name, {input}, with_last(output(input), weight.shape[0]));
  layer.weight_of = embedding;
  layer.bias = bias;
  if (bias) layer.parameters = {{name + ".bias", {layer.output.back()}}};
  return push(std::move(layer));
}

int Builder::add(const std::string& name, int left, int right) {
  return push(make_layer(Op::add, name, {left, right}, output(left)));
}

int Builder::scale(const std::string& name, int input, int factors) {
  return push(make_layer(Op::scale, name, {input, factors}, output(input)));
}

int Builder::concat(const std::string& name, const std::vector<int>& inputs) {
  Shape shape = output(inputs.at(0));
  shape[0] = 0;
  for (int input : inputs) shape[0] += output(input)[0];
  return push(make_layer(Op::concat, name, inputs, std::move(shape)));
}

int Builder::chunk(const std::string& name, int input, int index, int pieces) {
  Shape shape = output(input);
  shape[0] /= pieces;
  Layer layer = make_layer(Op::chunk, name, {input}, std::move(shape));
  layer.index = index;
  layer.groups = pieces;
  return push(std::move(layer));
}

int Builder::channel_shuffle(const std::string& name, int input, int groups) {
  Layer layer = make_layer(Op::channel_shuffle, name, {input}, output(input));
  layer.groups = groups;
  return push(std::move(layer));
}

int Builder::dropout(const std::string& name, int input, double ratio) {
  Layer layer = make_layer(Op::dropout, name, {input}, output(input));
  layer.ratio = ratio;
  return push(std::move(layer));
}

int Builder::stochastic_depth(const std::string& name, int input, double ratio) {
  Layer layer = make_layer(Op::stochastic_depth, name, {input}, output(input));
  layer.ratio = ratio;
  return push(std::move(layer));
}

int Builder::flatten(int input, const std::string& name) {
  return push(make_layer(Op::flatten, name, {input}, {element_count(output(input))}));
}

int Builder::mean_over_space(const std::string& name, int input) {
  return push(make_layer(Op::mean_over_space, name, {input}, {output(input)[0]}));
}

int Builder::layer_norm(const std::string& name, int input, double epsilon) {
  Layer layer = make_layer(Op::layer_norm, name, {input}, output(input));
  layer.epsilon = epsilon;
  add_scale_and_shift(layer, layer.output.back());
  return push(std::move(layer));
}

int Builder::embedding(const std::string& name, int input, int features) {
  Layer layer = make_layer(Op::embedding, name, {input}, {output(input)[0], features});
  layer.parameters = {{name + ".weight", {graph_.classes, features}}};
  return push(std::move(layer));
}

int Builder::position(const std::string& name, const std::string& parameter, int input, int rows) {
  Layer layer = make_layer(Op::position, name, {input}, output(input));
  layer.parameters = {{parameter, {rows, layer.output.back()}}};
  return push(std::move(layer));
}

int Builder::constant_row(const std::string& name, int input, int rows) {
  Layer layer = make_layer(Op::constant_row, name, {input}, output(input));
  layer.index = rows;
  layer.parameters = {{name + ".weight", {rows, layer.output.back()}}};
  return push(std::move(layer));
}

int Builder::class_token(const std::string& name, int input) {
  const Shape& in = output(input);
  Layer layer = make_layer(Op::class_token, name, {input}, {in[0] + 1, in[1]});
  layer.parameters = {{name, {1, in[1]}}};
  return push(std::move(layer));
}

int Builder::patches(const std::string& name, int input) {
  const Shape& in = output(input);
  return push(make_layer(Op::patches, name, {input}, {in[1] * in[2], in[0]}));
}

int Builder::attention(const std::string& name, int input, int heads, bool causal, bool fused) {
  const Shape& in = output(input);
  Layer layer = make_layer(Op::attention, name, {input}, {in[0], in[1] / 3});
  layer.heads = heads;
  layer.causal = causal;
  layer.fused = fused;
  return push(std::move(layer));
}

int Builder::take_token(const std::string& name, int input, int index) {
  Layer layer = make_layer(Op::take_token, name, {input}, {output(input)[1]});
  layer.index = index;
  return push(std::move(layer));
}

int Builder::take_tokens(const std::string& name, int input, int count) {
  Layer layer = make_layer(Op::take_tokens, name, {input}, {count, output(input)[1]});
  layer.index = count;
  return push(std::move(layer));
}

int Builder::loss(Op op, int input) { return push(make_layer(op, "loss", {input}, {})); }

int Builder::loss(Op op, int input, int second, double ratio) {
  Layer layer = make_layer(op, "loss", {input, second}, {});
  layer.ratio = ratio;
  return push(std::move(layer));
}

Graph Builder::finish(int classes) && {
  graph_.classes = classes;
  std::vector<int> uses(graph_.layers.size(), 0);
  for (const Layer& layer : graph_.layers) {
    for (int input : layer.inputs) ++uses[static_cast<std::size_t>(input)];
  }
  // The gradients of a layer that several others read are added: two are read and one is written for each further use.
  for (std::size_t i = 0; i < graph_.layers.size(); ++i) {
    if (!needs_gradient_[i] || uses[i] < 2) continue;
    const auto elements = static_cast<double>(element_count(graph_.layers[i].output));
    graph_.layers[i].cost.backward_elements += 3 * elements * (uses[i] - 1);
  }
  return std::move(graph_);
}

}  // namespace stash
