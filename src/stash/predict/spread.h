#pragma once

#include <optional>
#include <string>

#include "stash/predict/work.h"

namespace stash {

// Half the 95 % interval of the logarithm of a step's compute, from the residuals of the fit (docs/scaling.md).
double model_alone_spread(const Graph& graph, const Gpu& target, DType dtype);
double transfer_spread(const Gpu& first, const Gpu& second, DType dtype, const StepSum& on_first);

// The share of these intervals' variance that is an error of the job on every GPU, not of one GPU against the others.
double model_alone_job_error(const Graph& graph, const Gpu& target, DType dtype);
double transfer_job_error(const Gpu& first, const Gpu& second, DType dtype, const StepSum& on_first);

// What is to be said of a GPU that nothing was fitted to; nullopt where something was.
std::optional<std::string> evidence_text(const Gpu& gpu, DType dtype);

}  // namespace stash
