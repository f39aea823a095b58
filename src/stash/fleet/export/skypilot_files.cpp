#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "stash/fleet/export/fleet_files.h"
#include "stash/fleet/export/yaml_text.h"

namespace stash {
namespace {

// For the shell of the machine, which SkyPilot gives the line to.
std::string shell_word(const std::string& text) {
  const std::string quote = "'\\''";
  std::string word = "'";
  for (const char one : text) word += one == '\'' ? quote : std::string(1, one);
  return word + "'";
}

nlohmann::json sky_service(const FleetExport& fleet, const ExportedMachines& machines) {
  const ExportedType type = exported_type(fleet, machines);
  const double start_s = type.type->start.median_s();
  nlohmann::json service{{"readiness_probe",
                          {{"path", "/v2/health/ready"},
                           {"initial_delay_seconds", std::max(static_cast<int>(std::ceil(5 * start_s)), 300)}}}};
  if (machines.most > machines.count) {
    service["replica_policy"] = {{"min_replicas", std::max(machines.count, 1)},
                                 {"max_replicas", machines.most},
                                 {"target_qps_per_replica", std::round(type.target_per_s * 100) / 100}};
  } else {
    service["replicas"] = std::max(machines.count, 1);
  }
  std::string run = fleet.arguments.empty() ? "stash" : "";
  for (const std::string& word : container_arguments(fleet, *type.type))
    run += (run.empty() ? "" : " ") + shell_word(word);
  return {{"service", service},
          {"resources",
           {{"instance_type", type.type->name},
            {"image_id", "docker:" + fleet.image},
            {"use_spot", machines.spot},
            {"ports", 8000}}},
          {"run", run}};
}

}  // namespace

std::vector<ExportedFile> skypilot_files(const FleetExport& fleet) {
  std::vector<ExportedFile> files;
  for (const ExportedMachines& machines : fleet.machines) {
    const std::string name = exported_type(fleet, machines).name;
    files.push_back({name + ".yaml", fmt::format("# SkyPilot: {}\n# sky serve up --service-name {} {}.yaml\n",
                                                 fleet.market->model, name, name) +
                                         yaml_text(sky_service(fleet, machines))});
  }
  return files;
}

}  // namespace stash
