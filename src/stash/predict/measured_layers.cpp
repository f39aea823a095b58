#include <fmt/format.h>

#include <algorithm>

#include "stash/core/error.h"
#include "stash/predict/roofline_times.h"
#include "stash/predict/spread.h"

namespace stash {
namespace {

constexpr int kCutHalvings = 60;  // of an interval, to the last bits of a double

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

// All passes of a step: forward through all layers, then backward.
using Passes = std::vector<double>;

Passes passes_of(std::span<const LayerTime> layers) {
  Passes passes;
  for (const LayerTime& layer : layers) passes.push_back(*layer.forward_s);
  for (const LayerTime& layer : layers) passes.push_back(layer.backward_s.value_or(0));
  return passes;
}

void put_into(std::span<LayerTime> layers, const Passes& passes) {
  for (std::size_t i = 0; i < layers.size(); ++i) {
    layers[i].forward_s = passes[i];
    layers[i].backward_s = passes[layers.size() + i];
  }
}

double sum_s(const Passes& passes) {
  double sum = 0;
  for (const double s : passes) sum += s;
  return sum;
}

Passes at_most(Passes passes, const Passes& estimates, double ratio) {
  for (std::size_t i = 0; i < passes.size(); ++i) passes[i] = std::min(passes[i], ratio * estimates[i]);
  return passes;
}

// A layer that is timed by itself also waits for its own launch, which the whole step hides; the whole is what counts.
// What lies furthest above its estimate waited most and is cut first.
Passes cut_to(double whole_s, const Passes& passes, const Passes& estimates) {
  double low = 0, high = 0;
  for (std::size_t i = 0; i < passes.size(); ++i) {
    if (estimates[i] > 0) high = std::max(high, passes[i] / estimates[i]);
  }
  for (int i = 0; i < kCutHalvings; ++i) {
    const double middle = (low + high) / 2;
    (sum_s(at_most(passes, estimates, middle)) < whole_s ? low : high) = middle;
  }
  Passes cut = at_most(passes, estimates, high);
  const double left = sum_s(cut);
  for (double& s : cut) s *= left > 0 ? whole_s / left : 0;
  return cut;
}

// The step as it was measured. What it took beyond layers and optimizer is the host's; if it took less, the layers
// waited where the step does not, and the optimizer has its share of the estimate.
ScaledTimes as_measured(const Graph& graph, const MeasuredLayers& measured, const StepTime& estimate) {
  ScaledTimes times = times_of(graph, measured.batch, measured.dtype, estimate, {});
  const Passes estimates = passes_of(times.layers);
  Passes passes = passes_of(measured.layers);
  const double passes_s = sum_s(passes), apart_s = passes_s + times.optimizer_s;
  const double whole_s = measured.compute_s.value_or(apart_s);
  if (whole_s < apart_s) {
    const double ratio = whole_s / (sum_s(estimates) + times.optimizer_s);
    passes = cut_to(sum_s(estimates) * ratio, passes, estimates);
    times.optimizer_s *= ratio;
  }
  times.overhead_s = std::max(0.0, whole_s - apart_s);
  put_into(times.layers, passes);
  return times;
}

// Factors with which the roofline gives exactly the time that the passes took.
WorkRatios exact_ratios(const StepSum& estimate, double passes_s, double optimizer_s) {
  const WorkRatios likely = ratios_of(estimate, passes_s + optimizer_s);
  const double rest = passes_s / joined_s(with_ratios(estimate, likely).passes);
  return {likely.gpu * rest, likely.host * rest};
}

Passes gpu_parts(const StepTime& step) {
  Passes parts;
  for (const PassTime& pass : step.forward) parts.push_back(pass.gpu_s);
  for (const PassTime& pass : step.backward) parts.push_back(pass.gpu_s);
  return parts;
}

// What the GPU works in each pass: of the time that was measured, the share that the estimate gives to it; all passes
// together `whole_s`.
Passes gpu_work(const Passes& measured, const Passes& estimates, const Passes& parts, double whole_s) {
  Passes work(measured.size(), 0);
  for (std::size_t i = 0; i < work.size(); ++i) {
    if (estimates[i] > 0) work[i] = measured[i] * parts[i] / estimates[i];
  }
  const double sum = sum_s(work);
  for (double& s : work) s *= sum > 0 ? whole_s / sum : 0;
  return work;
}

// The GPU's part of each pass grows as its estimate does; the CPU's is the roofline's.
StepTime grown(const Passes& work, const Passes& from_parts, StepTime to, const WorkRatios& growth) {
  const std::size_t layers = to.forward.size();
  for (std::size_t i = 0; i < work.size(); ++i) {
    PassTime& pass = i < layers ? to.forward[i] : to.backward[i - layers];
    pass.gpu_s = from_parts[i] > 0 ? work[i] * growth.gpu * pass.gpu_s / from_parts[i] : 0;
    pass.host_s *= growth.host;
  }
  return to;
}

// The times `from`, which were measured, for another batch, type or GPU.
ScaledTimes rescaled(const Graph& graph, const MeasuredLayers& measured, const ScaledTimes& from,
                     const StepTime& estimate, int batch, DType dtype, const Gpu& target) {
  const Passes passes = passes_of(from.layers);
  const StepSum first = sum_of(estimate);
  const WorkRatios ratios = exact_ratios(first, sum_s(passes), from.optimizer_s);
  const StepTime step = step_on(graph, batch, dtype, target);
  WorkRatios there = ratios;
  if (measured.gpu->name != target.name || measured.dtype != dtype) {
    const StepSum same_batch = sum_of(step_on(graph, batch, measured.dtype, *measured.gpu));
    const double reference = reference_ratio({*measured.gpu, measured.dtype}, {target, dtype});
    there = carried(ratios, same_batch, sum_of(step), reference);
  }
  const ScaledTimes explained = times_of(graph, measured.batch, measured.dtype, estimate, ratios);
  Passes parts = gpu_parts(estimate);
  const Passes work = gpu_work(passes, passes_of(explained.layers), parts, ratios.gpu * first.passes.gpu_s);
  ScaledTimes times = times_of(graph, batch, dtype, grown(work, parts, step, {there.gpu / ratios.gpu, there.host}), {});
  times.optimizer_s *= from.optimizer_s / joined_s(estimate.optimizer);
  times.overhead_s = from.overhead_s;
  return times;
}

std::string told(const MeasuredLayers& measured, int batch, DType dtype, const Gpu& target) {
  std::string text = fmt::format("layer times on {} are those measured on {}", target.name, measured.gpu->name);
  if (measured.batch != batch) text += fmt::format(" with batch {}", measured.batch);
  if (measured.dtype != dtype) text += fmt::format(" in {}", to_string(measured.dtype));
  return text + ", each scaled as a fitted roofline does";
}

}  // namespace

ScaledTimes scaled_times(const Graph& graph, const MeasuredLayers& measured, int batch, DType dtype,
                         const Gpu& target) {
  check_rows(graph, measured.layers);
  const StepTime estimate = step_on(graph, measured.batch, measured.dtype, *measured.gpu);
  const ScaledTimes from = as_measured(graph, measured, estimate);
  const JobOnGpu first{measured.gpu, measured.batch, measured.dtype}, second{&target, batch, dtype};
  if (first == second) return from;
  ScaledTimes times = rescaled(graph, measured, from, estimate, batch, dtype, target);
  times.assumptions.push_back(told(measured, batch, dtype, target));
  add_device_assumptions(times, graph, dtype, target);
  set_interval(times, scaling_spread(first, second, sum_of(estimate)));
  times.job_error_ratio = scaling_job_error(first, second, sum_of(estimate));
  return times;
}

}  // namespace stash
