#include "stash/predict/gpu_fit.h"

#include <fmt/format.h>

#include "stash/core/units.h"
#include "stash/models/memory.h"

namespace stash {
namespace {

// Frameworks that use buffers again need less than all outputs of all layers: what is beyond even this cannot fit.
constexpr double kLeastMemoryRatio = 0.6;

std::string too_little_memory(double needed, double there) {
  return fmt::format("needs about {} of GPU memory and has {}: {} are missing", format_bytes(needed),
                     format_bytes(there), format_bytes(needed - there));
}

}  // namespace

double memory_bytes(const PredictJob& job) { return training_bytes(job.graph, job.batch, element_bytes(job.dtype)); }

std::string why_no_fit(const PredictJob& job, const Gpu& gpu, std::optional<double> gpu_memory_bytes) {
  if (job.dtype != DType::fp32 && !(job.dtype == DType::fp16 ? gpu.fp16_ops_per_s : gpu.bf16_ops_per_s)) {
    return fmt::format("has a {}, which does not compute with {}", gpu.name, to_string(job.dtype));
  }
  const double needed = memory_bytes(job);
  if (!gpu_memory_bytes || needed * kLeastMemoryRatio <= *gpu_memory_bytes) return "";
  return too_little_memory(needed, *gpu_memory_bytes);
}

std::optional<std::string> fit_doubt(const PredictJob& job, std::optional<double> gpu_memory_bytes) {
  const double needed = memory_bytes(job);
  if (!gpu_memory_bytes || needed <= *gpu_memory_bytes) return std::nullopt;
  return "it may not fit: it " + too_little_memory(needed, *gpu_memory_bytes);
}

}  // namespace stash
