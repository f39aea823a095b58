#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "stash/fleet/export/container_parts.h"
#include "stash/fleet/export/fleet_files.h"
#include "stash/fleet/export/yaml_text.h"

namespace stash {
namespace {

nlohmann::json inference_service(const FleetExport& fleet, const ExportedMachines& machines) {
  const ExportedType type = exported_type(fleet, machines);
  nlohmann::json container = server_container(fleet, *type.type, "kserve-container");
  container["ports"] = nlohmann::json::array({{{"containerPort", 8000}, {"protocol", "TCP"}}});
  container.erase("lifecycle");  // Knative has its own way to drain
  container.erase("startupProbe");
  return {{"apiVersion", "serving.kserve.io/v1beta1"},
          {"kind", "InferenceService"},
          {"metadata", {{"name", type.name}, {"namespace", fleet.space}}},
          {"spec",
           {{"predictor",
             {{"minReplicas", std::max(machines.count, 1)},
              {"maxReplicas", std::max(machines.most, 1)},
              {"scaleMetric", "rps"},
              {"scaleTarget", std::max(static_cast<int>(std::floor(type.target_per_s)), 1)},
              {"timeout", 60},
              {"nodeSelector", node_selector(*type.type, machines.spot)},
              {"containers", nlohmann::json::array({container})}}}}}};
}

}  // namespace

std::vector<ExportedFile> kserve_files(const FleetExport& fleet) {
  std::string text = fmt::format(
      "# KServe: {}, an InferenceService for each type of machine, scaled by requests per second (Knative).\n"
      "# kubectl apply -f inferenceservice.yaml\n",
      fleet.market->model);
  for (const ExportedMachines& machines : fleet.machines) {
    text += "---\n" + yaml_text(inference_service(fleet, machines));
  }
  return {{"inferenceservice.yaml", text}};
}

}  // namespace stash
