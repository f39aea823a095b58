#include <torch/csrc/autograd/custom_function.h>

#include "stash/measure/engine/network.h"

namespace stash {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::Variable;
using torch::autograd::variable_list;

// A stretch of the backward pass that ends where gradients become ready.
struct Stretch {
  double backward_s = 0;
  std::vector<at::Tensor> parameters;
};

// In the forward pass it passes a token on. In the backward pass it waits until the emulated device has done the
// stretch, and returns no gradient for its parameter: the gradient is there already, as a view of the reducer's
// bucket, and the reducer's hook fires all the same.
struct SleepingLayer : torch::autograd::Function<SleepingLayer> {
  static Variable forward(AutogradContext* context, const Variable& token, const Variable&, EmulatedStream* stream,
                          double backward_s) {
    context->saved_data["stream"] = reinterpret_cast<int64_t>(stream);
    context->saved_data["backward_s"] = backward_s;
    return token.clone();
  }

  static variable_list backward(AutogradContext* context, variable_list gradients) {
    auto* stream = reinterpret_cast<EmulatedStream*>(context->saved_data["stream"].toInt());
    stream->enqueue_behind(context->saved_data["backward_s"].toDouble());
    stream->wait();
    return {gradients[0], Variable(), Variable(), Variable()};
  }
};

class EmulatedNetwork : public Network {
 public:
  EmulatedNetwork(const Graph& graph, const std::vector<LayerTime>& times, double update_s, EmulatedStream& stream)
      : stream_(stream), update_s_(update_s), token_(at::zeros({1}).requires_grad_(true)) {
    for (std::size_t i = 0; i < graph.layers.size(); ++i) {
      const Layer& layer = graph.layers[i];
      forward_s_ += times[i].forward_s.value_or(0);
      if (layer.parameters.empty() && stretches_.empty()) continue;  // before any parameter nothing runs backward
      if (!layer.parameters.empty()) stretches_.emplace_back();
      stretches_.back().backward_s += times[i].backward_s.value_or(0);
      for (const Parameter& parameter : layer.parameters) {
        stretches_.back().parameters.push_back(at::zeros(parameter.shape).requires_grad_(true));
      }
    }
    for (const Stretch& stretch : stretches_) {
      parameters_.insert(parameters_.end(), stretch.parameters.begin(), stretch.parameters.end());
    }
  }

  const std::vector<at::Tensor>& parameters() const override { return parameters_; }
  std::vector<at::Tensor> buffers() const override { return {}; }
  void reset_optimizer() override {}
  bool is_emulated() const override { return true; }

  at::Tensor forward(const Batch&) override {
    stream_.enqueue(forward_s_);
    stream_.wait();
    at::Tensor value = token_;
    for (const Stretch& stretch : stretches_) value = apply(stretch, value);
    return value.sum();
  }

  void update() override {
    stream_.enqueue(update_s_);
    stream_.wait();
  }

 private:
  // What is applied last runs first in the backward pass: it takes the time, and then all gradients are ready.
  at::Tensor apply(const Stretch& stretch, at::Tensor value) {
    for (std::size_t i = stretch.parameters.size(); i > 1; --i) {
      value = SleepingLayer::apply(value, stretch.parameters[i - 1], &stream_, 0.0);
    }
    return SleepingLayer::apply(value, stretch.parameters[0], &stream_, stretch.backward_s);
  }

  EmulatedStream& stream_;
  double update_s_;
  double forward_s_ = 0;
  at::Tensor token_;
  std::vector<Stretch> stretches_;
  std::vector<at::Tensor> parameters_;
};

}  // namespace

std::unique_ptr<Network> make_emulated_network(const Graph& graph, const std::vector<LayerTime>& times, double update_s,
                                               EmulatedStream& stream) {
  return std::make_unique<EmulatedNetwork>(graph, times, update_s, stream);
}

}  // namespace stash
