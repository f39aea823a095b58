#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "stash/catalog/layer_time.h"

namespace stash {

// The times of one training step on a GPU, without communication and input; docs/scaling.md says how they come.
struct ScaledTimes {
  std::vector<LayerTime> layers;  // of one micro-batch; both times are set
  double optimizer_s = 0;
  double overhead_s = 0;            // a step's, beside layers and optimizer
  double gradient_bytes_ratio = 1;  // of what is exchanged for a parameter's gradient, over fp32
  double low_ratio = 1;             // 95 % interval of the step's compute, as factors on it
  double high_ratio = 1;
  double job_error_ratio = 0;  // of that interval's variance: an error that the job has on every GPU
  std::vector<std::string> assumptions;

  double compute_s() const;  // layers, optimizer and overhead
};

// From the model alone.
ScaledTimes scaled_times(const Graph& graph, int batch, DType dtype, const Gpu& target);

// The step time of the same job on one GPU, which may be of another kind, or with another batch or type.
struct StepOnGpu {
  const Gpu* gpu = nullptr;
  double step_s = 0;
  int batch = 1;
  DType dtype = DType::fp32;
};
ScaledTimes scaled_times(const Graph& graph, const StepOnGpu& measured, int batch, DType dtype, const Gpu& target);

// Layer times of a profile, which may be of another batch or type. `compute_s` is the profile's whole compute, where
// known.
struct MeasuredLayers {
  std::span<const LayerTime> layers;
  int batch = 1;
  const Gpu* gpu = nullptr;
  std::optional<double> compute_s;
  DType dtype = DType::fp32;
};

// Each layer scales as the roofline's own estimate does; on the same GPU with the same batch and type nothing changes.
// Error where the rows have no times or are not those of `graph`.
ScaledTimes scaled_times(const Graph& graph, const MeasuredLayers& measured, int batch, DType dtype, const Gpu& target);

// The graph of a job that was measured elsewhere, where the network of that name may differ: one that cannot take the
// image size is taken at the next size that it can, and `assumptions` says so.
Graph graph_for_scaling(std::string_view model, int image_size, int seq_len, std::vector<std::string>& assumptions);

}  // namespace stash
