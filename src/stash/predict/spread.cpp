#include "stash/predict/spread.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "stash/models/gpt_spec.h"

namespace stash {
namespace {

// 95th percentiles of the cross-validated residuals, by bench/scaling_gpus and bench/scaling_gpt. Where a step waits
// for launches more than for the GPU, a measurement says less.
constexpr double kModelAlone = 0.44;
constexpr double kTorchAlone = 0.25;  // where Stash's own steps were fitted, by bench/h200_steps
constexpr double kGptAlone = 0.10;    // twice what was seen, since all was one family on one kind of machine
constexpr double kTransfer = 0.15;
constexpr double kTransferFromLaunches = 0.35;
// The same by bench/scaling_batches for each doubling of the batch on the GPU that was measured. For another type,
// three published pairs of fp32 and mixed fp16 (ResNet-50 on V100 and A100, VGG-16 on V100) were off by 4, 24 and 27 %.
constexpr double kDoubledBatch = 0.09;
constexpr double kOtherType = 0.35;

// Nothing was fitted there: the rates of neighbouring generations differ by up to this.
constexpr double kUnfitted = 0.5;

double unfitted_spread(const Gpu& gpu, DType dtype) {
  switch (evidence_of(gpu.generation, dtype)) {
    case Evidence::fitted:
      return 0;
    case Evidence::estimated:
      return kUnfitted;
  }
  return kUnfitted;
}

double carried_spread(const StepSum& on_first) {
  return on_first.passes.gpu_s > on_first.passes.host_s ? kTransfer : kTransferFromLaunches;
}

// Carried from one GPU to another, a step has the errors of both; what the job is off everywhere is not in it.
double one_gpus_variance(double carried) { return carried * carried / 2; }

}  // namespace

bool JobOnGpu::operator==(const JobOnGpu& other) const {
  return gpu->name == other.gpu->name && batch == other.batch && dtype == other.dtype;
}

double model_alone_spread(const Graph& graph, const Gpu& target, DType dtype) {
  const bool as_fitted = is_gpt_spec(graph.name) && target.generation == Generation::ampere && dtype != DType::fp32;
  if (as_fitted) return kGptAlone;
  if (target.generation == Generation::hopper) return std::hypot(kTorchAlone, unfitted_spread(target, dtype));
  return std::hypot(kModelAlone, unfitted_spread(target, dtype));
}

double scaling_spread(const JobOnGpu& first, const JobOnGpu& second, const StepSum& on_first) {
  const double batch = kDoubledBatch * std::abs(std::log2(static_cast<double>(second.batch) / first.batch));
  const double type = first.dtype != second.dtype ? kOtherType : 0;
  if (first.gpu->name == second.gpu->name) return std::hypot(batch, type);
  const double transfer = carried_spread(on_first);
  const double unfitted =
      std::max(unfitted_spread(*first.gpu, first.dtype), unfitted_spread(*second.gpu, second.dtype));
  return std::hypot(transfer, first.gpu->generation == second.gpu->generation ? 0 : unfitted, std::hypot(batch, type));
}

double model_alone_job_error(const Graph& graph, const Gpu& target, DType dtype) {
  const double all = model_alone_spread(graph, target, dtype);
  const double unfitted = unfitted_spread(target, dtype);
  return std::max(0.0, 1 - (one_gpus_variance(kTransfer) + unfitted * unfitted) / (all * all));
}

// The error of the GPU that was measured is in the step of every other.
double scaling_job_error(const JobOnGpu& first, const JobOnGpu& second, const StepSum& on_first) {
  if (first.gpu->name == second.gpu->name) return 0;
  const double all = scaling_spread(first, second, on_first);
  return one_gpus_variance(carried_spread(on_first)) / (all * all);
}

std::optional<std::string> evidence_text(const Gpu& gpu, DType dtype) {
  switch (evidence_of(gpu.generation, dtype)) {
    case Evidence::fitted:
      return std::nullopt;
    case Evidence::estimated:
      return fmt::format(
          "there is no measurement of {}'s generation in {}; its rates follow from other generations, "
          "and the interval is wider",
          gpu.name, to_string(dtype));
  }
  return std::nullopt;
}

}  // namespace stash
