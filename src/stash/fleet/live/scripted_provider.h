#pragma once

#include <functional>
#include <string>
#include <vector>

#include "stash/fleet/live/fleet_provider.h"

namespace stash {

// Machines that are only counted, and faults on request, for tests and to try a policy.
class ScriptedProvider final : public FleetProvider {
 public:
  std::string address() const override { return "nowhere"; }
  std::vector<LiveMachine> look() override;
  void start(int type, bool spot, int count) override;
  void stop(int type, bool spot, int count) override;
  void read_load(LoadBook& book, double now_s) override;
  void end(bool keeps_machines) override;

  std::vector<LiveMachine> machines{};
  int looks_to_start = 0;     // how often a machine is looked at before it is ready
  std::string fault{};        // not empty: why every call fails
  std::string start_fault{};  // not empty: why no machine starts
  std::string load_fault{};   // not empty: why the load is not known
  std::function<void(LoadBook& book, double now_s)> on_load{};

 private:
  std::vector<int> looks_{};
  int next_ = 1;
};

}  // namespace stash
