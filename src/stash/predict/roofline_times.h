#pragma once

#include "stash/predict/scaling.h"
#include "stash/predict/work.h"

namespace stash {

// A step of `graph` by the roofline of the GPU's generation, with the optimizer that such a job has.
StepTime step_on(const Graph& graph, int batch, DType dtype, const Gpu& gpu);

// The same as times of layers, with its work multiplied. Nothing is assumed yet and the interval has no width.
ScaledTimes times_of(const Graph& graph, int batch, DType dtype, StepTime step, const WorkRatios& ratios);

// Half the 95 % interval of the logarithm of the step's compute.
void set_interval(ScaledTimes& times, double log_spread);

// What is to be said of the GPU and of the way the job trains, whatever the times follow from.
void add_device_assumptions(ScaledTimes& times, const Graph& graph, DType dtype, const Gpu& target);

// The time of a reference network on one GPU in one type, over that on another.
struct GpuInType {
  const Gpu& gpu;
  DType dtype;
};
double reference_ratio(const GpuInType& from, const GpuInType& to);

}  // namespace stash
