#include "stash/battery/run_case.h"

#include <algorithm>
#include <filesystem>

#include "stash/attribute/attribute.h"
#include "stash/catalog/job_memory.h"
#include "stash/core/cache_folder.h"
#include "stash/input/dataset/dataset.h"
#include "stash/input/dataset/dataset_bytes.h"
#include "stash/input/dataset/default_dataset.h"
#include "stash/launch/cluster/crew_plan.h"
#include "stash/launch/machine_info.h"
#include "stash/launch/process/build_lock.h"
#include "stash/models/job_graph.h"

namespace stash {
namespace {

namespace fs = std::filesystem;

constexpr int kBatchesOfDefaultData = 4;
constexpr double kMakeDeadline_s = 600;

bool wants_input(const Job& job) {
  const std::vector<Condition> conditions = present_conditions(job);
  return std::any_of(conditions.begin(), conditions.end(), uses_input);
}

// Ranks that a launcher starts at once want the same one: the first makes it.
fs::path make_default_data(const Job& job, const Graph& graph, const OnDefaultData& on_data) {
  const fs::path folder = ready_cache_folder();
  const BuildLock lock(folder / "data.lock", kMakeDeadline_s, [] {});
  const std::int64_t samples = std::int64_t{kBatchesOfDefaultData} * job.batch * job.ranks;
  return default_dataset(folder, graph, samples,
                         [&](std::int64_t done, std::int64_t total) { on_data(graph.input, done, total); });
}

void prepare_data(Profile& profile, const Graph& graph, const OnDefaultData& on_data) {
  Job& job = profile.job;
  if (job.data.empty()) job.data = make_default_data(job, graph, on_data).string();
  const auto dataset = open_dataset(job.data, graph.input, graph.seq_len);  // says what is wrong before ranks start
  job.data = fs::absolute(job.data).string();
  profile.dataset_samples = dataset->size();
  profile.dataset_bytes = estimate_bytes(*dataset);
}

}  // namespace

Profile prepare_profile(const Job& job, const Graph& graph, const OnDefaultData& on_data) {
  Profile profile;
  profile.job = job;
  if (wants_input(job)) prepare_data(profile, graph, on_data);
  profile.machine = describe_machine(profile.job.data);
  return profile;
}

CrewRun run_case(const Job& job, CrewOptions options, Crew& ranks, const OnDefaultData& on_data) {
  const Graph graph = graph_of(job);
  check_memory(job, graph, job.ranks, static_cast<double>(available_memory_bytes()));
  options.plan = plan_crew(std::nullopt, job.ranks);
  return ranks.run(prepare_profile(job, graph, on_data), options);
}

}  // namespace stash
