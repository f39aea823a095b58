#include "stash/launch/team.h"

#include <fmt/format.h>

#include "stash/core/error.h"
#include "stash/launch/host_network.h"

namespace stash {

int ranks_on_host(int ranks, const std::optional<Placement>& placement) {
  if (!placement) return ranks;
  return placement->starts_nodes ? ranks / placement->size : placement->local_size.value_or(1);
}

Team make_team(const std::optional<Placement>& placement, int ranks) {
  Team team;
  team.size = ranks;
  team.local_size = ranks_on_host(ranks, placement);
  team.count = placement ? ranks / placement->size : ranks;
  if (!placement) return team;
  team.first_rank = placement->rank * team.count;
  team.local_rank = placement->starts_nodes ? 0 : placement->local_rank.value_or(0);
  if (team.is_whole()) return team;
  if (placement->address.empty()) {
    throw UsageError(fmt::format("{} does not say where rank 0 is: set MASTER_ADDR to a name or address of its host",
                                 placement->launcher));
  }
  team.address = resolve_host(placement->address);
  team.port = placement->port;
  team.store_is_there = placement->store_is_there;
  const std::optional<std::string> interface = interface_towards(team.address);
  if (!interface) {
    throw Error(fmt::format("no network interface of this host leads to rank 0 at {}: check routes, or set MASTER_ADDR",
                            team.address));
  }
  team.interface = *interface;
  return team;
}

}  // namespace stash
