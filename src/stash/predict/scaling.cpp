#include "stash/predict/scaling.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "stash/core/error.h"
#include "stash/predict/roofline_times.h"
#include "stash/predict/spread.h"
#include "stash/predict/unpooled.h"

namespace stash {
namespace {

constexpr double kMaxStepS = 1e6;  // days; anything above is a mistake of units

// Networks of one name differ by less; what is further from the estimate was probably another job.
constexpr double kUnlikely = 4;

std::string doubt_of(const StepOnGpu& measured, double estimated_s) {
  const double ratio = measured.step_s / estimated_s;
  if (ratio < kUnlikely && ratio > 1 / kUnlikely) return {};
  return fmt::format(
      "the measured step is {:.0f} times {} than the {:.3g} s that the model suggests on a {}: check its unit, model "
      "and "
      "batch",
      std::max(ratio, 1 / ratio), ratio < 1 ? "shorter" : "longer", estimated_s, measured.gpu->name);
}

StepSum sum_on(const Graph& graph, const StepOnGpu& measured) {
  return sum_of(step_on(graph, measured.batch, measured.dtype, *measured.gpu));
}

// `first`: the measured step by the roofline.
ScaledTimes carried_times(const Graph& graph, const StepOnGpu& measured, const StepSum& first, int batch, DType dtype,
                          const Gpu& target) {
  const WorkRatios ratios = ratios_of(first, measured.step_s);
  const StepTime step = step_on(graph, batch, dtype, target);
  const bool same_kind = measured.gpu->name == target.name && measured.dtype == dtype;
  ScaledTimes times;
  if (same_kind) {
    times = times_of(graph, batch, dtype, step, ratios);
  } else {
    const StepSum there = sum_of(step_on(graph, batch, measured.dtype, *measured.gpu));
    const double reference = reference_ratio({*measured.gpu, measured.dtype}, {target, dtype});
    times = times_of(graph, batch, dtype, step, carried(ratios, there, sum_of(step), reference));
  }
  const JobOnGpu from{measured.gpu, measured.batch, measured.dtype}, to{&target, batch, dtype};
  set_interval(times, scaling_spread(from, to, first));
  times.job_error_ratio = scaling_job_error(from, to, first);
  return times;
}

}  // namespace

double ScaledTimes::compute_s() const {
  double sum_s = optimizer_s + overhead_s;
  for (const LayerTime& layer : layers) sum_s += layer.forward_s.value_or(0) + layer.backward_s.value_or(0);
  return sum_s;
}

ScaledTimes scaled_times(const Graph& graph, int batch, DType dtype, const Gpu& target) {
  ScaledTimes times = times_of(graph, batch, dtype, step_on(graph, batch, dtype, target), {});
  times.assumptions.push_back(
      fmt::format("layer times on {} are estimated from the model alone, by a fitted roofline", target.name));
  add_device_assumptions(times, graph, dtype, target);
  set_interval(times, model_alone_spread(graph, target, dtype));
  times.job_error_ratio = model_alone_job_error(graph, target, dtype);
  return times;
}

ScaledTimes scaled_times(const Graph& graph, const StepOnGpu& measured, int batch, DType dtype, const Gpu& target) {
  if (!(measured.step_s > 0) || measured.step_s > kMaxStepS) {
    throw UsageError(
        fmt::format("--measured: a step of {} s is not above 0 and up to {:g} s", measured.step_s, kMaxStepS));
  }
  const auto on_first = [&](const Graph& candidate) { return sum_on(candidate, measured); };
  const Built built = as_measured(graph, on_first, measured.step_s);
  ScaledTimes times = carried_times(built.graph, measured, on_first(built.graph), batch, dtype, target);
  times.assumptions.push_back(fmt::format("layer times on {} follow from a step of {:.4g} s on one {}", target.name,
                                          measured.step_s, measured.gpu->name));
  if (!built.assumption.empty()) times.assumptions.push_back(built.assumption);
  std::string doubt = doubt_of(measured, seconds_of(on_first(built.graph)));
  if (!doubt.empty()) times.assumptions.push_back(std::move(doubt));
  add_device_assumptions(times, graph, dtype, target);
  return times;
}

}  // namespace stash
