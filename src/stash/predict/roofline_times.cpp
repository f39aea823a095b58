#include "stash/predict/roofline_times.h"

#include <fmt/format.h>

#include <cmath>

#include "stash/core/error.h"
#include "stash/models/gpt_spec.h"
#include "stash/models/models.h"
#include "stash/predict/spread.h"

namespace stash {
namespace {

// As Megatron-LM trains a GPT: Adam, and in half precision gradients of two bytes.
bool trains_as_megatron(const Graph& graph) { return is_gpt_spec(graph.name); }

Optimizer optimizer_of(const Graph& graph) {
  if (!graph.update) return trains_as_megatron(graph) ? Optimizer::adam : Optimizer::momentum;
  switch (*graph.update) {
    case UpdateKind::sgd:
      return Optimizer::sgd;
    case UpdateKind::momentum:
      return Optimizer::momentum;
    case UpdateKind::adam:
      return Optimizer::adam;
  }
  return Optimizer::momentum;
}

double gradient_bytes_ratio(const Graph& graph, DType dtype) {
  return trains_as_megatron(graph) && dtype != DType::fp32 ? 0.5 : 1;
}

// A plain network of convolutions at a size that keeps every GPU busy.
double reference_s(const GpuInType& on) {
  constexpr int kBatch = 64;
  const Graph graph = make_model("vgg16", {.image_size = 128});
  return sum_of(step_on(graph, kBatch, on.dtype, on.gpu)).passes.gpu_s;
}

}  // namespace

StepTime step_on(const Graph& graph, int batch, DType dtype, const Gpu& gpu) {
  if (batch < 1) throw UsageError(fmt::format("--batch {} is too small; it must be 1 or more", batch));
  return step_time(graph, batch, dtype, gpu, efficiency_of(gpu.generation), optimizer_of(graph));
}

ScaledTimes times_of(const Graph& graph, int batch, DType dtype, StepTime step, const WorkRatios& ratios) {
  for (std::vector<PassTime>* passes : {&step.forward, &step.backward}) {
    for (PassTime& pass : *passes) pass = {pass.gpu_s * ratios.gpu, pass.host_s * ratios.host};
  }
  ScaledTimes times;
  times.layers = layer_times(graph, batch, dtype, step);
  times.optimizer_s = joined_s({step.optimizer.gpu_s * ratios.gpu, step.optimizer.host_s * ratios.host});
  times.gradient_bytes_ratio = gradient_bytes_ratio(graph, dtype);
  return times;
}

void set_interval(ScaledTimes& times, double log_spread) {
  times.low_ratio = std::exp(-log_spread);
  times.high_ratio = std::exp(log_spread);
}

void add_device_assumptions(ScaledTimes& times, const Graph& graph, DType dtype, const Gpu& target) {
  if (std::optional<std::string> text = evidence_text(target, dtype)) times.assumptions.push_back(std::move(*text));
  if (trains_as_megatron(graph)) {
    times.assumptions.push_back("GPT trains as in Megatron-LM: Adam, attention as the model's name says");
  }
}

double reference_ratio(const GpuInType& from, const GpuInType& to) { return reference_s(to) / reference_s(from); }

}  // namespace stash
