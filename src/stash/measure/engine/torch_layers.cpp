#include "stash/measure/engine/torch_layers.h"

#include <ATen/Functions.h>

#include <cmath>

#include "stash/core/error.h"

namespace stash {
namespace {

constexpr double kEmbeddingDeviation = 0.02;  // as the transformers' authors chose

at::Tensor optional_bias(const Layer& layer, const LayerTensors& own) {
  return layer.bias ? own.parameters.back() : at::Tensor();
}

at::Tensor shuffle_channels(const at::Tensor& x, int64_t groups) {
  const int64_t n = x.size(0), c = x.size(1), h = x.size(2), w = x.size(3);
  return x.view({n, groups, c / groups, h, w}).transpose(1, 2).contiguous().view({n, c, h, w});
}

at::Tensor attend(const Layer& layer, const at::Tensor& qkv) {
  const int64_t n = qkv.size(0), tokens = qkv.size(1), features = qkv.size(2) / 3;
  const at::Tensor heads = qkv.view({n, tokens, 3, layer.heads, features / layer.heads}).permute({2, 0, 3, 1, 4});
  const at::Tensor out = at::scaled_dot_product_attention(heads[0], heads[1], heads[2], {}, 0.0, layer.causal);
  return out.transpose(1, 2).reshape({n, tokens, features});
}

at::Tensor span_loss(const at::Tensor& logits, const at::Tensor& positions) {
  const at::Tensor start = at::cross_entropy_loss(logits.select(2, 0), positions.select(1, 0));
  const at::Tensor end = at::cross_entropy_loss(logits.select(2, 1), positions.select(1, 1));
  return (start + end) / 2;
}

at::Tensor classification_loss(const Layer& layer, const std::vector<at::Tensor>& logits, const at::Tensor& labels) {
  at::Tensor loss = at::cross_entropy_loss(logits.at(0), labels);
  return logits.size() < 2 ? loss : loss + layer.ratio * at::cross_entropy_loss(logits[1], labels);
}

// Any words and any answer will do for timing.
at::Tensor pretraining_loss(const std::vector<at::Tensor>& logits, const at::Tensor& words) {
  const at::Tensor &masked = logits.at(0), &next_sentence = logits.at(1);
  const at::Tensor hidden = words.narrow(1, 0, masked.size(1)).reshape({-1});
  return at::cross_entropy_loss(masked.view({-1, masked.size(2)}), hidden) +
         at::cross_entropy_loss(next_sentence, words.select(1, 0).remainder(2));
}

// What stays is scaled up, so that the mean is kept.
at::Tensor leave_samples_out(const at::Tensor& x, double ratio) {
  const at::Tensor kept = at::empty({x.size(0), 1, 1, 1}, x.options()).bernoulli_(1 - ratio).div_(1 - ratio);
  return x * kept;
}

at::Tensor prepend_token(const at::Tensor& x, const at::Tensor& token) {
  const int64_t n = x.size(0), features = x.size(2);
  return at::cat({token.view({1, 1, features}).expand({n, 1, features}).to(x.scalar_type()), x}, 1);
}

at::Tensor initial_value(const Layer& layer, const Parameter& parameter, std::size_t place, at::Tensor empty) {
  const bool is_first = place == 0;
  switch (layer.op) {
    case Op::batch_norm:
    case Op::layer_norm:
      return is_first ? empty.fill_(1) : empty.zero_();
    case Op::embedding:
    case Op::position:
    case Op::constant_row:
    case Op::class_token:
      return empty.normal_(0, kEmbeddingDeviation);
    default:
      break;
  }
  if (parameter.shape.size() < 2) return empty.zero_();  // a bias
  const double fan_in = static_cast<double>(element_count(parameter.shape)) / static_cast<double>(parameter.shape[0]);
  // Half the usual variance: without batch norm, residual sums of the usual one overflow in deep networks.
  return empty.normal_(0, std::sqrt(1 / fan_in));
}

}  // namespace

std::vector<LayerTensors> make_layer_tensors(const Graph& graph, c10::Device device, std::uint64_t seed) {
  const at::NoGradGuard no_grad;
  at::manual_seed(seed);
  const at::TensorOptions options = at::TensorOptions().dtype(at::kFloat).device(device);
  std::vector<LayerTensors> all(graph.layers.size());
  for (std::size_t i = 0; i < graph.layers.size(); ++i) {
    const Layer& layer = graph.layers[i];
    for (std::size_t place = 0; place < layer.parameters.size(); ++place) {
      const Parameter& parameter = layer.parameters[place];
      at::Tensor value = initial_value(layer, parameter, place, at::empty(parameter.shape, options));
      all[i].parameters.push_back(value.requires_grad_(true));
    }
    if (layer.op != Op::batch_norm) continue;
    all[i].buffers = {at::zeros({layer.output[0]}, options), at::ones({layer.output[0]}, options)};
  }
  return all;
}

at::Tensor apply_layer(const Graph& graph, const Layer& layer, const std::vector<at::Tensor>& inputs,
                       const LayerTensors& own, const std::vector<LayerTensors>& all, const Batch& batch) {
  const auto weight = [&] { return own.parameters.at(0); };
  const auto x = [&] { return inputs.at(0); };
  switch (layer.op) {
    case Op::image:
    case Op::tokens:
      return batch.input;
    case Op::conv2d:
      return at::conv2d(x(), weight(), optional_bias(layer, own), layer.stride, {layer.padding, layer.padding_width}, 1,
                        layer.groups);
    case Op::batch_norm:
      return at::batch_norm(x(), weight(), own.parameters[1], own.buffers[0], own.buffers[1], true, 0.1, layer.epsilon,
                            true);
    case Op::relu:
      return at::relu(x());
    case Op::relu6:
      return at::hardtanh(x(), 0, 6);
    case Op::gelu:
      return at::gelu(x());
    case Op::silu:
      return at::silu(x());
    case Op::sigmoid:
      return at::sigmoid(x());
    case Op::tanh:
      return at::tanh(x());
    case Op::max_pool2d:
      return at::max_pool2d(x(), layer.kernel, layer.stride, layer.padding, 1, layer.ceil_mode);
    case Op::avg_pool2d:
      return at::avg_pool2d(x(), layer.kernel, layer.stride, layer.padding);
    case Op::adaptive_avg_pool2d:
      return at::adaptive_avg_pool2d(x(), {layer.kernel, layer.kernel});
    case Op::linear: {
      const bool tied = layer.weight_of >= 0;
      const at::Tensor& w = tied ? all[static_cast<std::size_t>(layer.weight_of)].parameters[0] : own.parameters[0];
      return at::linear(x(), w, optional_bias(layer, own));
    }
    case Op::add:
      return inputs.at(0) + inputs.at(1);
    case Op::scale:
      return inputs.at(0) * inputs.at(1);
    case Op::stochastic_depth:
      return leave_samples_out(x(), layer.ratio);
    case Op::concat:
      return at::cat(inputs, 1);
    case Op::chunk:
      return x().chunk(layer.groups, 1).at(static_cast<std::size_t>(layer.index));
    case Op::channel_shuffle:
      return shuffle_channels(x(), layer.groups);
    case Op::dropout:
      return at::dropout(x(), layer.ratio, true);
    case Op::flatten:
      return x().flatten(1);
    case Op::mean_over_space:
      return x().mean(at::IntArrayRef{2, 3});
    case Op::layer_norm:
      return at::layer_norm(x(), {x().size(-1)}, weight(), own.parameters[1], layer.epsilon);
    case Op::embedding:
      return at::embedding(weight(), x());
    case Op::position:
      return x() + weight().view({-1, x().size(-1)}).narrow(0, 0, x().size(1));
    case Op::constant_row:
      return x() + weight().select(0, 0);
    case Op::class_token:
      return prepend_token(x(), weight());
    case Op::patches:
      return x().flatten(2).transpose(1, 2);
    case Op::attention:
      return attend(layer, x());
    case Op::take_token:
      return x().select(1, layer.index);
    case Op::take_tokens:
      return x().narrow(1, 0, layer.index).contiguous();
    case Op::classification_loss:
      return classification_loss(layer, inputs, batch.target);
    case Op::next_token_loss:
      return at::cross_entropy_loss(x().view({-1, x().size(-1)}), batch.target.reshape({-1}));
    case Op::span_loss:
      return span_loss(x(), batch.target);
    case Op::pretraining_loss:
      return pretraining_loss(inputs, batch.target);
    case Op::other:  // of scripts, which are not built here
      break;
  }
  throw Error("layer '" + layer.name + "' of " + graph.name + " has a kind that the engine does not know");
}

}  // namespace stash
