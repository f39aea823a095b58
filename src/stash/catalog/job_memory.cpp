#include "stash/catalog/job_memory.h"

#include <fmt/format.h>

#include "stash/catalog/gpu.h"
#include "stash/core/error.h"
#include "stash/core/units.h"
#include "stash/models/memory.h"

namespace stash {
namespace {

double bytes_to_train(const Job& job, const Graph& graph) {
  return training_bytes(graph, job.batch, element_bytes(parse_dtype(job.dtype)));
}

}  // namespace

std::string gpu_misfit(const Job& job, const Graph& graph, std::string_view gpu, double memory_bytes) {
  const double needed = bytes_to_train(job, graph);
  if (needed <= memory_bytes) return "";
  return fmt::format(
      "{} with --batch {} needs about {} of memory and a {} has {}: use a smaller --batch or another GPU", job.model,
      job.batch, format_bytes(needed), gpu, format_bytes(memory_bytes));
}

void check_memory(const Job& job, const Graph& graph, int ranks_here, double available_bytes) {
  if (job.device.is_cuda()) return;  // the device tells how much it has when it is asked
  const bool emulated = job.device.is_emulated();
  if (emulated) {
    const Gpu& gpu = find_gpu(job.device.gpu());
    const std::string misfit = gpu_misfit(job, graph, gpu.name, static_cast<double>(gpu.memory_bytes));
    if (!misfit.empty()) throw Error(misfit);
  }
  const double each = emulated ? emulated_bytes(graph) : bytes_to_train(job, graph);
  const double input =
      static_cast<double>(job.prefetch + 1) * job.batch *
      (graph.input == InputKind::images ? 12.0 * job.image_size * job.image_size : 8.0 * graph.seq_len);
  const double needed = (each + input) * ranks_here;
  if (needed <= available_bytes) return;
  throw Error(
      fmt::format("{} with --batch {} on {} ranks needs about {} of memory and {} are available: use a smaller "
                  "--batch or fewer --ranks",
                  job.model, job.batch, ranks_here, format_bytes(needed), format_bytes(available_bytes)));
}

}  // namespace stash
