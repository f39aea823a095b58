#include "stash/fleet/live/live_machine.h"

#include <fmt/format.h>

#include <cmath>
#include <set>

#include "stash/core/error.h"

namespace stash {
namespace {

constexpr std::size_t kMostLiveMachines = 10'000;

}  // namespace

std::string_view to_string(MachineState state) {
  switch (state) {
    case MachineState::starting:
      return "starting";
    case MachineState::ready:
      return "ready";
    case MachineState::draining:
      return "draining";
  }
  return "";
}

void check_machines(const std::vector<LiveMachine>& machines, std::size_t types) {
  if (machines.size() > kMostLiveMachines) {
    throw Error(fmt::format("it reports {} machines, which is not believed (more than {})", machines.size(),
                            kMostLiveMachines));
  }
  std::set<std::string_view> ids;
  for (const LiveMachine& one : machines) {
    if (one.type < 0 || static_cast<std::size_t>(one.type) >= types) {
      throw Error(fmt::format("it reports machine '{}' of a type that the market does not have", one.id));
    }
    if (!ids.insert(one.id).second) throw Error(fmt::format("it reports machine '{}' twice", one.id));
    if (one.busy_s && !(std::isfinite(*one.busy_s) && *one.busy_s >= 0)) {
      throw Error(fmt::format("it reports that machine '{}' was busy for {} s", one.id, *one.busy_s));
    }
  }
}

}  // namespace stash
