#include "stash/launch/rank_command.h"

#include <algorithm>
#include <cstdlib>

#include "stash/launch/process/affinity.h"
#include "stash/launch/protocol/shared_names.h"

namespace stash {
namespace {

constexpr const char* kLoopback = "lo";

std::string python_path(const CrewOptions& options) {
  std::string path = options.extension_folder.string() + ':' + options.package_folder.string();
  if (const char* own = std::getenv("PYTHONPATH"); own != nullptr && *own != '\0') path += ':' + std::string(own);
  return path;
}

RankCommand rank_command(int index, const CrewOptions& options, const std::filesystem::path& order) {
  const CrewPlan& plan = options.plan;
  const int local_rank = plan.local_rank + index;
  const std::vector<int> cores = core_share(allowed_cores(), local_rank, plan.local_size);
  const std::string threads = std::to_string(std::max<std::size_t>(cores.size(), 1));
  RankCommand command;
  command.arguments = {options.python.string(), "-m", "stash.rank"};
  command.cores = cores;
  command.environment = {
      {"RANK", std::to_string(plan.first_rank + index)},
      {"WORLD_SIZE", std::to_string(plan.size)},
      {"LOCAL_RANK", std::to_string(local_rank)},
      {"LOCAL_WORLD_SIZE", std::to_string(plan.local_size)},
      {"OMP_NUM_THREADS", threads},
      {"MKL_NUM_THREADS", threads},
      {"TORCH_CPP_LOG_LEVEL", "ERROR"},
      {"PYTHONPATH", python_path(options)},
      {"PYTHONUNBUFFERED", "1"},
      {"GLOO_SOCKET_IFNAME", gloo_interface(plan)},
      {kOrderVariable, order.string()},
      {kCrewIndexVariable, std::to_string(index)},
  };
  // NCCL finds the fast interfaces by itself.
  if (plan.is_whole()) command.environment.emplace_back("NCCL_SOCKET_IFNAME", kLoopback);
  return command;
}

}  // namespace

// Ranks of one machine need no other interface, and nobody else may connect.
std::string gloo_interface(const CrewPlan& plan) {
  if (plan.is_whole()) return kLoopback;
  const char* chosen = std::getenv("GLOO_SOCKET_IFNAME");
  return chosen == nullptr ? plan.interface : chosen;
}

std::vector<RankCommand> rank_commands(const CrewOptions& options, const std::filesystem::path& order) {
  std::vector<RankCommand> commands;
  for (int index = 0; index < options.plan.count; ++index) {
    commands.push_back(rank_command(index, options, order));
  }
  return commands;
}

}  // namespace stash
