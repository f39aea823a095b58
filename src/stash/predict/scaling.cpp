#include "stash/predict/scaling.h"

#include <fmt/format.h>

#include <cmath>

#include "stash/core/error.h"
#include "stash/models/gpt_spec.h"
#include "stash/models/models.h"
#include "stash/predict/spread.h"
#include "stash/predict/unpooled.h"
#include "stash/predict/work.h"

namespace stash {
namespace {

constexpr double kMaxStepS = 1e6;  // days; anything above is a mistake of units

// As Megatron-LM trains a GPT: Adam, and in half precision gradients of two bytes.
bool trains_as_megatron(const Graph& graph) { return is_gpt_spec(graph.name); }

Optimizer optimizer_of(const Graph& graph) { return trains_as_megatron(graph) ? Optimizer::adam : Optimizer::momentum; }

double gradient_bytes_ratio(const Graph& graph, DType dtype) {
  return trains_as_megatron(graph) && dtype != DType::fp32 ? 0.5 : 1;
}

StepTime step_on(const Graph& graph, int batch, DType dtype, const Gpu& gpu) {
  if (batch < 1) throw UsageError(fmt::format("--batch {} is too small; it must be 1 or more", batch));
  return step_time(graph, batch, dtype, gpu, efficiency_of(gpu.generation), optimizer_of(graph));
}

// A plain network of convolutions at a size that keeps every GPU busy.
double reference_ratio(DType dtype, const Gpu& first, const Gpu& second) {
  constexpr int kBatch = 64;
  const Graph graph = make_model("vgg16", {.image_size = 128});
  return sum_of(step_on(graph, kBatch, dtype, second)).passes.gpu_s /
         sum_of(step_on(graph, kBatch, dtype, first)).passes.gpu_s;
}

void set_interval(ScaledTimes& times, double log_spread) {
  times.low_ratio = std::exp(-log_spread);
  times.high_ratio = std::exp(log_spread);
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

struct Transfer {
  const Gpu& from;
  const Gpu& to;
  StepSum first;  // on `from`, by the roofline
  double measured_s;
};

ScaledTimes carried_times(const Graph& graph, int batch, DType dtype, const Transfer& transfer) {
  const WorkRatios ratios = ratios_of(transfer.first, transfer.measured_s);
  const StepTime step = step_on(graph, batch, dtype, transfer.to);
  if (transfer.from.name == transfer.to.name) return times_of(graph, batch, dtype, step, ratios);
  const double reference = reference_ratio(dtype, transfer.from, transfer.to);
  ScaledTimes times = times_of(graph, batch, dtype, step, carried(ratios, transfer.first, sum_of(step), reference));
  set_interval(times, transfer_spread(transfer.from, transfer.to, dtype, transfer.first));
  times.job_error_ratio = transfer_job_error(transfer.from, transfer.to, dtype, transfer.first);
  return times;
}

void check_rows(const Graph& graph, std::span<const LayerTime> rows) {
  constexpr std::string_view kAgain = "profile the job again with this version of stash";
  if (rows.size() != graph.layers.size()) {
    throw Error(fmt::format("the profile has {} layers where {} has {}; {}", rows.size(), graph.name,
                            graph.layers.size(), kAgain));
  }
  bool trains = false;  // what comes before all parameters has no backward pass
  for (std::size_t i = 0; i < rows.size(); ++i) {
    trains = trains || !graph.layers[i].parameters.empty();
    if (rows[i].name != graph.layers[i].name) {
      throw Error(fmt::format("layer {} of the profile is '{}' where {} has '{}'; {}", i, rows[i].name, graph.name,
                              graph.layers[i].name, kAgain));
    }
    if (!rows[i].forward_s || (trains && !rows[i].backward_s)) {
      throw Error(fmt::format("the profile has no time of layer '{}'; {}", rows[i].name, kAgain));
    }
  }
}

double scaled_s(double measured_s, double from_s, double to_s) {
  return from_s > 0 ? measured_s * to_s / from_s : measured_s;
}

double layers_s(std::span<const LayerTime> layers) {
  double sum = 0;
  for (const LayerTime& layer : layers) sum += layer.forward_s.value_or(0) + layer.backward_s.value_or(0);
  return sum;
}

void add_device_assumptions(ScaledTimes& times, const Graph& graph, DType dtype, const Gpu& target) {
  if (std::optional<std::string> text = evidence_text(target, dtype)) times.assumptions.push_back(std::move(*text));
  if (trains_as_megatron(graph)) {
    times.assumptions.push_back("GPT trains as in Megatron-LM: Adam, attention as the model's name says");
  }
}

}  // namespace

double ScaledTimes::compute_s() const { return layers_s(layers) + optimizer_s + overhead_s; }

ScaledTimes scaled_times(const Graph& graph, int batch, DType dtype, const Gpu& target) {
  ScaledTimes times = times_of(graph, batch, dtype, step_on(graph, batch, dtype, target), {});
  times.assumptions.push_back(
      fmt::format("layer times on {} are estimated from the model alone, by a fitted roofline", target.name));
  add_device_assumptions(times, graph, dtype, target);
  set_interval(times, model_alone_spread(graph, target, dtype));
  times.job_error_ratio = model_alone_job_error(graph, target, dtype);
  return times;
}

ScaledTimes scaled_times(const Graph& graph, int batch, DType dtype, const Gpu& measured_on, double measured_step_s,
                         const Gpu& target) {
  if (!(measured_step_s > 0) || measured_step_s > kMaxStepS) {
    throw UsageError(
        fmt::format("--measured: a step of {} s is not above 0 and up to {:g} s", measured_step_s, kMaxStepS));
  }
  const auto on_first = [&](const Graph& candidate) { return sum_of(step_on(candidate, batch, dtype, measured_on)); };
  const Built built = as_measured(graph, on_first, measured_step_s);
  ScaledTimes times =
      carried_times(built.graph, batch, dtype, {measured_on, target, on_first(built.graph), measured_step_s});
  times.assumptions.push_back(fmt::format("layer times on {} follow from a step of {:g} s on {}", target.name,
                                          measured_step_s, measured_on.name));
  if (!built.assumption.empty()) times.assumptions.push_back(built.assumption);
  add_device_assumptions(times, graph, dtype, target);
  return times;
}

ScaledTimes scaled_times(const Graph& graph, const MeasuredLayers& measured, int batch, DType dtype,
                         const Gpu& target) {
  check_rows(graph, measured.layers);
  const StepTime from_step = step_on(graph, measured.batch, dtype, *measured.gpu);
  const std::vector<LayerTime> from = layer_times(graph, measured.batch, dtype, from_step);
  ScaledTimes times = times_of(graph, batch, dtype, step_on(graph, batch, dtype, target), {});
  // Layers that were timed one by one had their starts and ends to themselves; the whole is what counts.
  const double from_optimizer_s = joined_s(from_step.optimizer), sum_s = layers_s(measured.layers);
  const double rest_s = measured.compute_s ? *measured.compute_s - sum_s : from_optimizer_s;
  const double shrink = rest_s < 0 && sum_s > 0 ? *measured.compute_s / (sum_s + from_optimizer_s) : 1;
  for (std::size_t i = 0; i < from.size(); ++i) {
    const LayerTime& row = measured.layers[i];
    LayerTime& to = times.layers[i];
    to.forward_s = scaled_s(*row.forward_s, *from[i].forward_s, *to.forward_s) * shrink;
    to.backward_s = row.backward_s ? scaled_s(*row.backward_s, *from[i].backward_s, *to.backward_s) * shrink : 0;
  }
  if (rest_s < 0) times.optimizer_s *= shrink;
  if (rest_s >= 0 && rest_s < from_optimizer_s) times.optimizer_s *= rest_s / from_optimizer_s;
  if (rest_s > from_optimizer_s) times.overhead_s = rest_s - from_optimizer_s;
  if (measured.gpu->name == target.name && measured.batch == batch) return times;
  times.assumptions.push_back(
      fmt::format("layer times on {} are those measured on {}, each scaled as a fitted roofline does", target.name,
                  measured.gpu->name));
  add_device_assumptions(times, graph, dtype, target);
  set_interval(times, transfer_spread(*measured.gpu, target, dtype, sum_of(from_step)));
  times.job_error_ratio = transfer_job_error(*measured.gpu, target, dtype, sum_of(from_step));
  return times;
}

}  // namespace stash
