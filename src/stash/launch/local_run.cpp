#include "stash/launch/local_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "stash/core/clock.h"
#include "stash/core/error.h"
#include "stash/core/file.h"
#include "stash/core/profile_json.h"
#include "stash/core/version.h"
#include "stash/launch/affinity.h"
#include "stash/launch/fingerprint.h"
#include "stash/launch/run_folder.h"
#include "stash/launch/stolen_time.h"
#include "stash/launch/supervisor.h"

namespace stash {
namespace {

namespace fs = std::filesystem;

// Where all ranks are ours, collectives give up later than the supervisor, which knows better who is to blame. Of ranks
// elsewhere it knows nothing.
constexpr double kCollectiveTimeoutFactor = 3;
constexpr double kPatienceElsewhere = 2;
constexpr const char* kJobFile = "job.json";
constexpr const char* kStoreFile = "rendezvous";  // a file, so that no port is needed and nobody else can join

// What the other ranks compare: data may lie elsewhere on every host, and hosts may have more or fewer cores.
std::string member_json(const Job& job, const NodeIdentity& node) {
  Job comparable = job;
  comparable.data.clear();
  comparable.workers = 0;
  return nlohmann::json{
      {"host", node.host}, {"node", node.key}, {"stash", kVersion}, {"job", fingerprint(to_json(comparable).dump())}}
      .dump();
}

std::string python_path(const LocalRunOptions& options) {
  std::string path = options.extension_folder.string() + ':' + options.package_folder.string();
  if (const char* own = std::getenv("PYTHONPATH"); own != nullptr && *own != '\0') path += ':' + std::string(own);
  return path;
}

using Environment = std::vector<std::pair<std::string, std::string>>;

void add_meeting_place(Environment& environment, const Team& team, const fs::path& folder) {
  const bool alone = team.address.empty();
  if (alone) {
    environment.emplace_back("STASH_STORE_FILE", (folder / kStoreFile).string());
  } else {
    environment.emplace_back("STASH_STORE_ADDRESS", team.address);
    environment.emplace_back("STASH_STORE_PORT", std::to_string(team.port));
    environment.emplace_back("STASH_STORE_IS_THERE", team.store_is_there ? "1" : "0");
  }
  // Ranks of one machine need no other interface, and nobody else may connect. NCCL finds the fast ones by itself.
  const std::string interface = alone ? "lo" : team.interface;
  if (alone || std::getenv("GLOO_SOCKET_IFNAME") == nullptr) environment.emplace_back("GLOO_SOCKET_IFNAME", interface);
  if (alone) environment.emplace_back("NCCL_SOCKET_IFNAME", interface);
}

// A machine that stands for several: their ranks reach each other as those of nodes would, by other collectives.
NodeIdentity node_of(int index, const LocalRunOptions& options) {
  if (options.nodes <= 1) return options.node;
  const std::string number = fmt::format("#{}", index * options.nodes / options.team.count);
  return {options.node.host + number, options.node.key + number};
}

RankProcess make_process(const Job& job, int index, const LocalRunOptions& options, const fs::path& folder,
                         std::int64_t started_ns) {
  const Team& team = options.team;
  const int local_rank = team.local_rank + index;
  const std::vector<int> cores = core_share(allowed_cores(), local_rank, team.local_size);
  const std::string threads = std::to_string(std::max<std::size_t>(cores.size(), 1));
  const double timeout_s = options.deadline_s * (team.is_whole() ? kCollectiveTimeoutFactor : 1);
  RankProcess process;
  process.arguments = {options.python.string(), "-m", "stash.rank"};
  process.cores = cores;
  process.environment = {
      {"RANK", std::to_string(team.first_rank + index)},
      {"WORLD_SIZE", std::to_string(team.size)},
      {"LOCAL_RANK", std::to_string(local_rank)},
      {"LOCAL_WORLD_SIZE", std::to_string(team.local_size)},
      {"OMP_NUM_THREADS", threads},
      {"MKL_NUM_THREADS", threads},
      {"TORCH_CPP_LOG_LEVEL", "ERROR"},
      {"PYTHONPATH", python_path(options)},
      {"PYTHONUNBUFFERED", "1"},
      {"STASH_JOB_FILE", (folder / kJobFile).string()},
      {"STASH_MEMBER", member_json(job, node_of(index, options))},
      {kTeamIndexVariable, std::to_string(index)},
      {kTeamCountVariable, std::to_string(team.count)},
      {"STASH_STARTED_NS", std::to_string(started_ns)},
      {"STASH_TIMEOUT_S", fmt::format("{}", timeout_s)},
  };
  if (!options.purpose.empty()) process.environment.emplace_back(kPurposeVariable, options.purpose);
  add_meeting_place(process.environment, team, folder);
  return process;
}

// The supervisor counts the ranks that it started; people count all.
void count_from(Outcome& outcome, int first_rank) {
  if (outcome.hung_rank) *outcome.hung_rank += first_rank;
  for (RankEnd& end : outcome.ends) end.rank += first_rank;
}

}  // namespace

LocalRun run_locally(Profile profile, const LocalRunOptions& options) {
  const std::int64_t started_ns = now_ns();
  const StolenTime stolen;
  const Job job = profile.job;
  const RunFolder folder;
  write_file_atomically(folder.path() / kJobFile, to_json(job).dump());
  std::vector<RankProcess> processes;
  const Team& team = options.team;
  for (int index = 0; index < team.count; ++index) {
    processes.push_back(make_process(job, index, options, folder.path(), started_ns));
  }
  SharedState shared = SharedState::create(team.count);
  Collector collector(std::move(profile));
  Outcome outcome =
      supervise(processes, shared,
                {.deadline_s = options.deadline_s,
                 .patience = team.is_whole() ? 1 : kPatienceElsewhere,
                 .on_event = [&](int index, std::string_view line) { collector.take(team.first_rank + index, line); },
                 .on_tick =
                     [&] {
                       note_cache_room(collector);
                       if (options.on_tick) options.on_tick(collector);
                     },
                 .stop = options.stop});
  count_from(outcome, team.first_rank);

  LocalRun run{.profile = collector.profile(),
               .facts = collector.facts(),
               .fault = std::nullopt,
               .interrupted = outcome.interrupted};
  if (!outcome.interrupted)
    run.fault =
        describe_fault(outcome, collector.errors(), options.deadline_s, team.is_whole() ? "" : options.node.host);
  run.usage_fault = run.fault && is_usage_fault(collector.errors());
  run.lost_rank_0 = std::any_of(collector.errors().begin(), collector.errors().end(), [](const auto& entry) {
    const std::vector<int>& lost = entry.second.lost;
    return std::find(lost.begin(), lost.end(), 0) != lost.end();
  });
  run.profile.elapsed_s = seconds(now_ns() - started_ns);
  run.profile.stolen_ratio = stolen.ratio();
  run.profile.complete = !run.fault && !outcome.interrupted && collector.stopped();
  if (run.fault) run.profile.stopped_by = StoppedBy::fault;
  if (outcome.interrupted) run.profile.stopped_by = StoppedBy::interrupted;
  return run;
}

}  // namespace stash
