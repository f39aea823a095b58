#include "stash/launch/local_run.h"

#include <fmt/format.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "stash/core/clock.h"
#include "stash/core/error.h"
#include "stash/core/file.h"
#include "stash/core/profile_json.h"
#include "stash/launch/affinity.h"
#include "stash/launch/run_folder.h"
#include "stash/launch/stolen_time.h"
#include "stash/launch/supervisor.h"

namespace stash {
namespace {

namespace fs = std::filesystem;

// Collectives give up later than the supervisor, which knows better who is to blame.
constexpr double kCollectiveTimeoutFactor = 3;
constexpr const char* kJobFile = "job.json";
constexpr const char* kStoreFile = "rendezvous";  // a file, so that no port is needed and nobody else can join

std::string python_path(const LocalRunOptions& options) {
  std::string path = options.extension_folder.string() + ':' + options.package_folder.string();
  if (const char* own = std::getenv("PYTHONPATH"); own != nullptr && *own != '\0') path += ':' + std::string(own);
  return path;
}

RankProcess make_process(const Job& job, int rank, const LocalRunOptions& options, const fs::path& folder,
                         std::int64_t started_ns) {
  const std::vector<int> cores = core_share(allowed_cores(), rank, job.ranks);
  const std::string threads = std::to_string(std::max<std::size_t>(cores.size(), 1));
  RankProcess process;
  process.arguments = {options.python.string(), "-m", "stash.rank"};
  process.cores = cores;
  process.environment = {
      {"RANK", std::to_string(rank)},
      {"WORLD_SIZE", std::to_string(job.ranks)},
      {"LOCAL_RANK", std::to_string(rank)},
      {"LOCAL_WORLD_SIZE", std::to_string(job.ranks)},
      {"OMP_NUM_THREADS", threads},
      {"MKL_NUM_THREADS", threads},
      {"GLOO_SOCKET_IFNAME", "lo"},  // ranks of one machine need no other interface, and nobody else may connect
      {"NCCL_SOCKET_IFNAME", "lo"},
      {"TORCH_CPP_LOG_LEVEL", "ERROR"},
      {"PYTHONPATH", python_path(options)},
      {"PYTHONUNBUFFERED", "1"},
      {"STASH_JOB_FILE", (folder / kJobFile).string()},
      {"STASH_STORE_FILE", (folder / kStoreFile).string()},
      {"STASH_STARTED_NS", std::to_string(started_ns)},
      {"STASH_TIMEOUT_S", fmt::format("{}", options.deadline_s * kCollectiveTimeoutFactor)},
  };
  return process;
}

}  // namespace

LocalRun run_locally(Profile profile, const LocalRunOptions& options) {
  const std::int64_t started_ns = now_ns();
  const StolenTime stolen;
  const Job job = profile.job;
  const RunFolder folder;
  write_file_atomically(folder.path() / kJobFile, to_json(job).dump());
  std::vector<RankProcess> processes;
  for (int rank = 0; rank < job.ranks; ++rank) {
    processes.push_back(make_process(job, rank, options, folder.path(), started_ns));
  }
  SharedState shared = SharedState::create(job.ranks);
  Collector collector(std::move(profile));
  const Outcome outcome = supervise(processes, shared,
                                    {.deadline_s = options.deadline_s,
                                     .on_event = [&](int rank, std::string_view line) { collector.take(rank, line); },
                                     .on_tick =
                                         [&] {
                                           if (options.on_tick) options.on_tick(collector);
                                         }});

  LocalRun run{.profile = collector.profile(), .fault = std::nullopt, .interrupted = outcome.interrupted};
  if (!outcome.interrupted) run.fault = describe_fault(outcome, collector.errors(), options.deadline_s);
  run.usage_fault = run.fault && is_usage_fault(collector.errors());
  run.profile.elapsed_s = seconds(now_ns() - started_ns);
  run.profile.stolen_ratio = stolen.ratio();
  run.profile.complete = !run.fault && !outcome.interrupted && collector.stopped();
  if (run.fault) run.profile.stopped_by = StoppedBy::fault;
  if (outcome.interrupted) run.profile.stopped_by = StoppedBy::interrupted;
  return run;
}

}  // namespace stash
