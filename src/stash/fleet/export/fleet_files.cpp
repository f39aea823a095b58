#include "stash/fleet/export/fleet_files.h"

#include <fmt/format.h>

#include <algorithm>

#include "stash/core/error.h"
#include "stash/core/units.h"
#include "stash/fleet/live/cluster/cluster_command.h"
#include "stash/fleet/market/capacity.h"

namespace stash {
namespace {

// An autoscaler looks at the last minute, and what it starts comes minutes later: MArk's head-room of 1.2.
constexpr double kHeadRoom = 1.2;

}  // namespace

std::vector<ExportedFile> fleet_files(std::string_view target, const FleetExport& fleet) {
  if (target == "kubernetes") return kubernetes_files(fleet);
  if (target == "kserve") return kserve_files(fleet);
  if (target == "skypilot") return skypilot_files(fleet);
  if (target == "ray") return ray_files(fleet);
  throw_unknown("target", target, kExportTargets);
}

ExportedType exported_type(const FleetExport& fleet, const ExportedMachines& machines) {
  const MachineType& type = fleet.market->machines.at(static_cast<std::size_t>(machines.type));
  const auto capacity = capacity_of(type, fleet.objective);
  if (!capacity) {
    throw UsageError(fmt::format("{} cannot answer within {}: a batch of one takes {}", type.name,
                                 format_duration(fleet.objective.latency_s), format_duration(type.times.at(1))));
  }
  return {.type = &type,
          .name = cluster_name(fleet.market->model, type.name, machines.spot),
          .target_per_s = capacity->per_s / kHeadRoom,
          .batch = capacity->batch,
          .batch_wait_s = capacity->wait_s};
}

std::vector<std::string> container_arguments(const FleetExport& fleet, const MachineType& type) {
  if (!fleet.arguments.empty()) return fleet.arguments;
  std::string times;
  for (const BatchTime& row : type.times.rows()) {
    times += fmt::format("{}{}={:.0f}us", times.empty() ? "" : ",", row.batch, row.s * 1e6);
  }
  return {"serve",
          "--model",
          fleet.model,
          "--objective",
          fmt::format("{:.0f}us", fleet.objective.latency_s * 1e6),
          "--max-batch",
          std::to_string(type.most_batch),
          "--batch-times",
          times,
          "--host",
          "0.0.0.0",
          "--port",
          "8000"};
}

std::string service_name(const std::string& model) {
  std::string name = cluster_name(model, "", false);
  while (name.back() == '-') name.pop_back();
  return name;
}

}  // namespace stash
