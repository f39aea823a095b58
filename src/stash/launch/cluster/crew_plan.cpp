#include "stash/launch/cluster/crew_plan.h"

#include <fmt/format.h>

#include "stash/core/error.h"
#include "stash/launch/cluster/host_network.h"

namespace stash {

int ranks_on_host(int ranks, const std::optional<LaunchedProcess>& launched) {
  if (!launched) return ranks;
  return launched->starts_nodes ? ranks / launched->size : launched->local_size.value_or(1);
}

CrewPlan plan_crew(const std::optional<LaunchedProcess>& launched, int ranks) {
  CrewPlan plan;
  plan.size = ranks;
  plan.local_size = ranks_on_host(ranks, launched);
  plan.count = launched ? ranks / launched->size : ranks;
  if (!launched) return plan;
  plan.first_rank = launched->rank * plan.count;
  plan.local_rank = launched->starts_nodes ? 0 : launched->local_rank.value_or(0);
  if (plan.is_whole()) return plan;
  if (launched->meeting.address.empty()) {
    throw UsageError(fmt::format("{} does not say where rank 0 is: set MASTER_ADDR to a name or address of its host",
                                 launched->launcher));
  }
  plan.meeting = launched->meeting;
  plan.meeting.address = resolve_host(launched->meeting.address);
  const std::optional<std::string> interface = interface_towards(plan.meeting.address);
  if (!interface) {
    throw Error(fmt::format("no network interface of this host leads to rank 0 at {}: check routes, or set MASTER_ADDR",
                            plan.meeting.address));
  }
  plan.interface = *interface;
  return plan;
}

}  // namespace stash
