#include "stash/cli/run_case.h"

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

namespace fs = std::filesystem;

constexpr int kBatchesOfDefaultData = 4;

bool wants_input(const Job& job) {
  const std::vector<Condition> conditions = present_conditions(job);
  return std::any_of(conditions.begin(), conditions.end(), uses_input);
}

void prepare_data(Profile& profile, const Graph& graph) {
  Job& job = profile.job;
  if (job.data.empty()) {
    job.data = default_dataset(graph, std::int64_t{kBatchesOfDefaultData} * job.batch * job.ranks).string();
  }
  const auto dataset = open_dataset(job.data, graph.input, graph.seq_len);  // says what is wrong before ranks start
  job.data = fs::absolute(job.data).string();
  profile.dataset_samples = dataset->size();
  profile.dataset_bytes = estimate_bytes(*dataset);
}

}  // namespace

Profile prepare_profile(const Job& job, const Graph& graph) {
  Profile profile;
  profile.job = job;
  if (wants_input(job)) prepare_data(profile, graph);
  profile.machine = describe_machine(profile.job.data);
  return profile;
}

LocalRun run_case(const Job& job, const StartFlags& start, LocalRanks& ranks, const CaseRun& run) {
  const Graph graph = graph_of(job);
  check_memory(job, graph, job.ranks, static_cast<double>(available_memory_bytes()));
  return start.start(prepare_profile(job, graph), make_team(std::nullopt, job.ranks),
                     {.nodes = run.nodes, .on_tick = run.on_tick, .stop = run.stop, .ranks = &ranks});
}

}  // namespace stash
