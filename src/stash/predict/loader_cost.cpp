#include "stash/predict/loader_cost.h"

#include <fmt/format.h>

#include "stash/core/error.h"

namespace stash {

void use_loader(PredictJob& job, const Loader& from, const Loader& to) {
  if (job.graph.input != InputKind::images) {
    throw UsageError(fmt::format("--loader {} has no meaning for {}, which takes tokens", to.name, job.graph.name));
  }
  if (!job.sample) {
    throw UsageError(fmt::format("--loader {} needs the CPU time of a sample: add --sample-cpu", to.name));
  }
  job.sample->cpu_s *= to.cpu_ratio / from.cpu_ratio;
  job.assumptions.push_back(fmt::format("prep assumes {}", describe(to)));
}

}  // namespace stash
