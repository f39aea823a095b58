#include "stash/fleet/live/scripted_provider.h"

#include <fmt/format.h>

#include <algorithm>

#include "stash/core/error.h"

namespace stash {

std::vector<LiveMachine> ScriptedProvider::look() {
  if (!fault.empty()) throw Error(fault);
  looks_.resize(machines.size());
  for (std::size_t i = 0; i < machines.size(); ++i) {
    if (machines[i].state == MachineState::starting && looks_[i]++ >= looks_to_start) {
      machines[i].state = MachineState::ready;
    }
  }
  return machines;
}

void ScriptedProvider::start(int type, bool spot, int count) {
  if (!fault.empty() || !start_fault.empty()) throw Error(fault.empty() ? start_fault : fault);
  looks_.resize(machines.size());
  for (int i = 0; i < count; ++i) {
    machines.push_back({.id = fmt::format("m{}", next_++), .type = type, .spot = spot});
    looks_.push_back(0);
  }
}

void ScriptedProvider::stop(int type, bool spot, int count) {
  if (!fault.empty()) throw Error(fault);
  for (std::size_t i = machines.size(); i-- > 0 && count > 0;) {
    if (machines[i].type != type || machines[i].spot != spot) continue;
    machines.erase(machines.begin() + static_cast<std::ptrdiff_t>(i));
    looks_.resize(machines.size());
    --count;
  }
}

void ScriptedProvider::read_load(LoadBook& book, double now_s) {
  if (!fault.empty() || !load_fault.empty()) throw Error(fault.empty() ? load_fault : fault);
  if (on_load) on_load(book, now_s);
}

void ScriptedProvider::end(bool keeps_machines) {
  if (!keeps_machines) machines.clear();
}

}  // namespace stash
