#include "stash/predict/gpu_fit.h"

#include <fmt/format.h>

#include <algorithm>

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

namespace {

// Parameters, gradients and what the optimizer keeps of each, in fp32.
double state_bytes(const PredictJob& job) {
  const UpdateKind kind = job.graph.update.value_or(UpdateKind::momentum);
  const double copies = kind == UpdateKind::adam ? 4 : kind == UpdateKind::momentum ? 3 : 2;
  const std::optional<ScriptFacts>& facts = job.profile->profile.script;
  return copies * 4 * (facts ? static_cast<double>(facts->parameters) : 0);
}

}  // namespace

double memory_bytes(const PredictJob& job, int ranks) {
  const double from_graph = training_bytes(job.graph, job.batch, element_bytes(job.dtype));
  if (!job.groups || !job.profile || job.groups->shards < 2) return from_graph;
  const Profile& profile = job.profile->profile;
  const int before = job.groups->shards, then = job.groups->shards_for(ranks);
  const bool seen = profile.job.device.is_cuda() && profile.script && profile.script->peak_memory_bytes;
  if (!seen) {
    double parameters = 0;  // that the graph has in it as whole ones
    for (const Layer& layer : job.graph.layers) parameters += static_cast<double>(layer.parameter_count());
    const double whole = state_bytes(job);
    const double facts_parameters = profile.script ? static_cast<double>(profile.script->parameters) : 0;
    const double in_graph = facts_parameters > 0 ? whole * parameters / facts_parameters : 0;
    return std::max(0.0, from_graph - in_graph) + whole / then;
  }
  const double peak = static_cast<double>(*profile.script->peak_memory_bytes), whole = state_bytes(job);
  const double rest = std::max(0.0, peak - whole / before);
  return rest * job.batch / std::max(1, profile.job.batch) + whole / then;
}

std::string why_no_fit(const PredictJob& job, const Gpu& gpu, std::optional<double> gpu_memory_bytes, int ranks) {
  if (job.dtype != DType::fp32 && !(job.dtype == DType::fp16 ? gpu.fp16_ops_per_s : gpu.bf16_ops_per_s)) {
    return fmt::format("has a {}, which does not compute with {}", gpu.name, to_string(job.dtype));
  }
  const double needed = memory_bytes(job, ranks);
  if (!gpu_memory_bytes || needed * kLeastMemoryRatio <= *gpu_memory_bytes) return "";
  return too_little_memory(needed, *gpu_memory_bytes);
}

std::optional<std::string> fit_doubt(const PredictJob& job, std::optional<double> gpu_memory_bytes, int ranks) {
  const double needed = memory_bytes(job, ranks);
  if (!gpu_memory_bytes || needed <= *gpu_memory_bytes) return std::nullopt;
  return "it may not fit: it " + too_little_memory(needed, *gpu_memory_bytes);
}

}  // namespace stash
