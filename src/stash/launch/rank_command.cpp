#include "stash/launch/rank_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "stash/launch/affinity.h"
#include "stash/launch/rank_variables.h"

namespace stash {
namespace {

// Where all ranks are ours, collectives give up later than the supervisor, which knows better who is to blame. Of ranks
// elsewhere it knows nothing.
constexpr double kCollectiveTimeoutFactor = 3;

std::string python_path(const LocalRunOptions& options) {
  std::string path = options.extension_folder.string() + ':' + options.package_folder.string();
  if (const char* own = std::getenv("PYTHONPATH"); own != nullptr && *own != '\0') path += ':' + std::string(own);
  return path;
}

using Environment = std::vector<std::pair<std::string, std::string>>;

void add_meeting_place(Environment& environment, const Team& team) {
  const bool alone = team.address.empty();
  if (!alone) {
    environment.emplace_back("STASH_STORE_ADDRESS", team.address);
    environment.emplace_back("STASH_STORE_PORT", std::to_string(team.port));
    environment.emplace_back("STASH_STORE_IS_THERE", team.store_is_there ? "1" : "0");
  }
  // Ranks of one machine need no other interface, and nobody else may connect. NCCL finds the fast ones by itself.
  const std::string interface = alone ? "lo" : team.interface;
  if (alone || std::getenv("GLOO_SOCKET_IFNAME") == nullptr) environment.emplace_back("GLOO_SOCKET_IFNAME", interface);
  if (alone) environment.emplace_back("NCCL_SOCKET_IFNAME", interface);
}

RankCommand rank_command(int index, const LocalRunOptions& options, const std::filesystem::path& order, bool stay) {
  const Team& team = options.team;
  const int local_rank = team.local_rank + index;
  const std::vector<int> cores = core_share(allowed_cores(), local_rank, team.local_size);
  const std::string threads = std::to_string(std::max<std::size_t>(cores.size(), 1));
  const double timeout_s = options.deadline_s * (team.is_whole() ? kCollectiveTimeoutFactor : 1);
  RankCommand command;
  command.arguments = {options.python.string(), "-m", "stash.rank"};
  command.cores = cores;
  command.environment = {
      {"RANK", std::to_string(team.first_rank + index)},
      {"WORLD_SIZE", std::to_string(team.size)},
      {"LOCAL_RANK", std::to_string(local_rank)},
      {"LOCAL_WORLD_SIZE", std::to_string(team.local_size)},
      {"OMP_NUM_THREADS", threads},
      {"MKL_NUM_THREADS", threads},
      {"TORCH_CPP_LOG_LEVEL", "ERROR"},
      {"PYTHONPATH", python_path(options)},
      {"PYTHONUNBUFFERED", "1"},
      {"STASH_ORDER_FILE", order.string()},
      {kTeamIndexVariable, std::to_string(index)},
      {kTeamCountVariable, std::to_string(team.count)},
      {"STASH_TIMEOUT_S", fmt::format("{}", timeout_s)},
  };
  if (!options.purpose.empty()) command.environment.emplace_back(kPurposeVariable, options.purpose);
  if (stay) command.environment.emplace_back("STASH_STAY", "1");
  add_meeting_place(command.environment, team);
  return command;
}

}  // namespace

std::vector<RankCommand> rank_commands(const LocalRunOptions& options, const std::filesystem::path& order, bool stay) {
  std::vector<RankCommand> commands;
  for (int index = 0; index < options.team.count; ++index) {
    commands.push_back(rank_command(index, options, order, stay));
  }
  return commands;
}

}  // namespace stash
