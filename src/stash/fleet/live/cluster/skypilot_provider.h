#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "stash/fleet/live/fleet_provider.h"
#include "stash/fleet/live/metrics_load.h"
#include "stash/fleet/live/provider_setup.h"

namespace stash {

// A service as `sky serve status` lists it.
struct SkyService {
  std::string name;
  std::string status;
  int ready = 0;
  int replicas = 0;
  std::string endpoint;  // empty: it has none yet
};

// The first table of `sky serve status`. Error where it has no such table, or a number of replicas that is none.
std::vector<SkyService> read_sky_services(std::string_view text);

// A SkyServe service of fixed size for each type of machine; `sky serve update` changes the size. The load comes from
// --metrics, which it needs.
class SkypilotProvider final : public FleetProvider {
 public:
  explicit SkypilotProvider(ProviderSetup setup);

  std::string address() const override { return address_; }
  std::vector<LiveMachine> look() override;
  void start(int type, bool spot, int count) override { scale(type, spot, count); }
  void stop(int type, bool spot, int count) override { scale(type, spot, -count); }
  void read_load(LoadBook& book, double now_s) override;
  void end(bool keeps_machines) override;

 private:
  std::vector<SkyService> services() const;
  std::string name_of(int type, bool spot) const;
  void scale(int type, bool spot, int change) const;

  ProviderSetup setup_;
  MetricsLoad load_;
  std::string address_ = "http://0.0.0.0:0";
};

}  // namespace stash
