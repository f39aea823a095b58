#include "stash/fleet/export/container_parts.h"

#include <algorithm>
#include <cmath>

namespace stash {
namespace {

using PartJson = nlohmann::json;

PartJson probe(const char* path, int period_s, int failures) {
  return {{"httpGet", {{"path", path}, {"port", 8000}}}, {"periodSeconds", period_s}, {"failureThreshold", failures}};
}

}  // namespace

PartJson server_container(const FleetExport& fleet, const MachineType& type, const std::string& name) {
  // Image and weights are fetched before the server listens; twice the time that 95 of 100 starts take.
  const double start_s = type.start.weights.p95_s + type.start.warmup.p95_s;
  const int failures = std::max(static_cast<int>(std::ceil(2 * start_s / 2)), 30);
  PartJson container{{"name", name},
                     {"image", fleet.image},
                     {"args", container_arguments(fleet, type)},
                     {"ports", PartJson::array({{{"name", "http"}, {"containerPort", 8000}, {"protocol", "TCP"}}})},
                     {"startupProbe", probe("/v2/health/ready", 2, failures)},
                     {"readinessProbe", probe("/v2/health/ready", 2, 2)},
                     {"livenessProbe", probe("/v2/health/live", 10, 3)},
                     // Routers learn of the end first; then the server answers what it has accepted.
                     {"lifecycle", {{"preStop", {{"exec", {{"command", {"sleep", "5"}}}}}}}}};
  if (type.has_gpu) container["resources"] = {{"limits", {{"nvidia.com/gpu", type.devices}}}};
  return container;
}

PartJson node_selector(const MachineType& type, bool spot) {
  PartJson selector{{"node.kubernetes.io/instance-type", type.name}};
  if (spot) selector["karpenter.sh/capacity-type"] = "spot";
  return selector;
}

}  // namespace stash
