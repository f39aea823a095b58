#include "stash/launch/script_job.h"

#include <algorithm>

#include "stash/core/applies.h"
#include "stash/core/error.h"

namespace stash {
namespace {

std::vector<Condition> script_conditions(const std::vector<Condition>& asked, const ShownJob& shown) {
  const JobShape shape{.shares_nodes = shown.ranks > shown.nodes,
                       .several_nodes = shown.nodes > 1,
                       .copies_batches = shown.device.is_cuda() && shown.reads_batches,
                       .reads_input = shown.reads_batches,
                       .reads_files = shown.reads_files};
  std::vector<Condition> conditions;
  for (const Condition condition : kConditions) {
    const bool is_asked = asked.empty() || std::ranges::find(asked, condition) != asked.end();
    if (is_asked && applies(condition, shape)) conditions.push_back(condition);
  }
  return conditions;
}

}  // namespace

Job script_job(Job asked, const ShownJob& shown) {
  Job job = std::move(asked);
  job.conditions = script_conditions(job.conditions, shown);
  if (job.conditions.empty()) {
    throw Error("--conditions leaves nothing to measure: none of them means something for what the script does");
  }
  job.ranks = shown.ranks;
  job.device = shown.device;
  job.backend = shown.backend.value_or("");
  job.dtype = shown.dtype.value_or("");
  job.batch = shown.batch.value_or(0);
  job.workers = shown.workers;
  job.prefetch = shown.prefetch;
  job.loader.clear();  // its own
  return job;
}

std::vector<std::string> script_warnings(const ShownJob& shown) {
  if (shown.reads_batches && !shown.reads_files) {
    return {"no file of the data set was seen: fetch is not known; name the data with --data"};
  }
  return {};
}

}  // namespace stash
