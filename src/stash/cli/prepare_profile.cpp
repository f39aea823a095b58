#include "stash/cli/prepare_profile.h"

#include <algorithm>
#include <filesystem>

#include "stash/attribute/attribute.h"
#include "stash/cli/default_dataset.h"
#include "stash/cli/job_flags.h"
#include "stash/input/dataset.h"
#include "stash/input/dataset_bytes.h"
#include "stash/launch/machine_info.h"

namespace stash {
namespace {

constexpr int kBatchesOfDefaultData = 4;

bool wants_input(const Job& job) {
  const std::vector<Condition> conditions = present_conditions(job);
  return std::any_of(conditions.begin(), conditions.end(), uses_input);
}

// Makes a data set where none is given.
void prepare_data(Profile& profile, const Graph& graph) {
  Job& job = profile.job;
  if (!wants_input(job)) return;
  if (job.data.empty()) {
    job.data = default_dataset(graph, std::int64_t{kBatchesOfDefaultData} * job.batch * job.ranks).string();
  }
  const auto dataset = open_dataset(job.data, graph.input, graph.seq_len);  // says what is wrong before ranks start
  job.data = std::filesystem::absolute(job.data).string();
  profile.dataset_samples = dataset->size();
  profile.dataset_bytes = estimate_bytes(*dataset);
}

}  // namespace

Profile prepare_profile(Job job, const Team& team) {
  Profile profile;
  profile.job = std::move(job);
  const Graph graph = graph_of(profile.job);
  check_memory(profile.job, graph, team.local_size, static_cast<double>(available_memory_bytes()));
  prepare_data(profile, graph);
  profile.machine = describe_machine(profile.job.data);
  return profile;
}

}  // namespace stash
