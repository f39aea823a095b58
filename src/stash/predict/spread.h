#pragma once

#include <optional>
#include <string>

#include "stash/predict/work.h"

namespace stash {

// What a step was measured on, or is scaled to.
struct JobOnGpu {
  const Gpu* gpu = nullptr;
  int batch = 1;
  DType dtype = DType::fp32;
  bool operator==(const JobOnGpu& other) const;  // GPUs by their names
};

// Half the 95 % interval of the logarithm of a step's compute, from the residuals of the fit (docs/scaling.md).
double model_alone_spread(const Graph& graph, const Gpu& target, DType dtype);
// Of a step that was measured as `first` and is scaled to `second`; 0 where they are the same.
double scaling_spread(const JobOnGpu& first, const JobOnGpu& second, const StepSum& on_first);

// The share of these intervals' variance that is an error of the job on every GPU, not of one GPU against the others.
double model_alone_job_error(const Graph& graph, const Gpu& target, DType dtype);
double scaling_job_error(const JobOnGpu& first, const JobOnGpu& second, const StepSum& on_first);

// What is to be said of a GPU that nothing was fitted to; nullopt where something was.
std::optional<std::string> evidence_text(const Gpu& gpu, DType dtype);

}  // namespace stash
