#include <torch/csrc/autograd/custom_function.h>

#include "stash/measure/network.h"

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
// stretch, and returns no gradient: the gradients are there already, as views of the reducer's buckets, and the
// reducer's hooks fire all the same.
struct SleepingLayer : torch::autograd::Function<SleepingLayer> {
  static Variable forward(AutogradContext* context, Variable token, variable_list parameters, EmulatedStream* stream,
                          double backward_s) {
    context->saved_data["stream"] = reinterpret_cast<int64_t>(stream);
    context->saved_data["backward_s"] = backward_s;
    context->saved_data["parameters"] = static_cast<int64_t>(parameters.size());
    return token.clone();
  }

  static variable_list backward(AutogradContext* context, variable_list gradients) {
    auto* stream = reinterpret_cast<EmulatedStream*>(context->saved_data["stream"].toInt());
    stream->enqueue_behind(context->saved_data["backward_s"].toDouble());
    stream->wait();
    const auto parameters = static_cast<std::size_t>(context->saved_data["parameters"].toInt());
    variable_list results(parameters + 3);
    results[0] = gradients[0];
    return results;
  }
};

class EmulatedNetwork : public Network {
 public:
  EmulatedNetwork(const Graph& graph, const std::vector<LayerTime>& times, double update_s,
                  EmulatedStream& stream)
      : stream_(stream), update_s_(update_s), token_(at::zeros({1}).requires_grad_(true)) {
    for (std::size_t i = 0; i < graph.layers.size(); ++i) {
      const Layer& layer = graph.layers[i];
      forward_s_ += times[i].forward_s.value_or(0);
      if (stretches_.empty() || !layer.parameters.empty()) stretches_.emplace_back();
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
  bool is_emulated() const override { return true; }

  at::Tensor forward(const Batch&) override {
    stream_.enqueue(forward_s_);
    stream_.wait();
    at::Tensor value = token_;
    for (const Stretch& stretch : stretches_) {
      value = SleepingLayer::apply(value, stretch.parameters, &stream_, stretch.backward_s);
    }
    return value.sum();
  }

  void update() override {
    stream_.enqueue(update_s_);
    stream_.wait();
  }

 private:
  EmulatedStream& stream_;
  double update_s_;
  double forward_s_ = 0;
  at::Tensor token_;
  std::vector<Stretch> stretches_;
  std::vector<at::Tensor> parameters_;
};

}  // namespace

std::unique_ptr<Network> make_emulated_network(const Graph& graph, const std::vector<LayerTime>& times,
                                               double update_s, EmulatedStream& stream) {
  return std::make_unique<EmulatedNetwork>(graph, times, update_s, stream);
}

}  // namespace stash
