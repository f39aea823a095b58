#include "stash/fleet/live/fleet_providers.h"

#include "stash/core/error.h"
#include "stash/fleet/live/cluster/kubernetes_provider.h"
#include "stash/fleet/live/cluster/skypilot_provider.h"
#include "stash/fleet/live/local/local_provider.h"
#include "stash/fleet/live/scripted_provider.h"

namespace stash {

std::unique_ptr<FleetProvider> make_fleet_provider(std::string_view name, const ProviderSetup& setup) {
  if (name == "local") return std::make_unique<LocalProvider>(setup);
  if (name == "kubernetes") return std::make_unique<KubernetesProvider>(setup);
  if (name == "skypilot") return std::make_unique<SkypilotProvider>(setup);
  if (name == "scripted") return std::make_unique<ScriptedProvider>();
  throw_unknown("provider", name, kFleetProviders);
}

}  // namespace stash
