#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "stash/fleet/live/fleet_provider.h"
#include "stash/fleet/live/metrics_load.h"
#include "stash/fleet/live/provider_setup.h"

namespace stash {

// A deployment of a cluster: machines of one type.
struct KubernetesDeployment {
  std::string name;
  int type = 0;
  bool spot = false;
  int replicas = 0;
  int ready = 0;
};

// What `kubectl get deployments -o json` prints, as far as it is of the market. Error where it is nonsense.
std::vector<KubernetesDeployment> read_deployments(std::string_view json, const Market& market);

// Pods by `kubectl`: a deployment for each type of machine, which `stash fleet export --to kubernetes` writes and the
// user applies. Only their numbers of replicas are changed. The load comes from the pods' own counts, or --metrics.
class KubernetesProvider final : public FleetProvider {
 public:
  explicit KubernetesProvider(ProviderSetup setup);

  std::string address() const override;
  std::vector<LiveMachine> look() override;
  void start(int type, bool spot, int count) override { scale(type, spot, count); }
  void stop(int type, bool spot, int count) override { scale(type, spot, -count); }
  void read_load(LoadBook& book, double now_s) override;
  void end(bool keeps_machines) override;

 private:
  std::vector<std::string> kubectl(std::vector<std::string> words) const;
  std::string selector() const;
  std::vector<KubernetesDeployment> deployments() const;
  void scale(int type, bool spot, int change) const;

  ProviderSetup setup_;
  MetricsLoad load_;
};

}  // namespace stash
