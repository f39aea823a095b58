#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "stash/fleet/export/container_parts.h"
#include "stash/fleet/export/fleet_files.h"
#include "stash/fleet/export/yaml_text.h"
#include "stash/fleet/live/cluster/cluster_command.h"

namespace stash {
namespace {

using Json = nlohmann::json;

Json machine_labels(const FleetExport& fleet, const ExportedMachines& machines) {
  const MachineType& type = fleet.market->machines.at(static_cast<std::size_t>(machines.type));
  return {{"stash-fleet/model", label_value(fleet.market->model)},
          {"stash-fleet/machine", label_value(type.name)},
          {"stash-fleet/spot", machines.spot ? "true" : "false"}};
}

Json deployment(const FleetExport& fleet, const ExportedMachines& machines) {
  const ExportedType type = exported_type(fleet, machines);
  const Json labels = machine_labels(fleet, machines);
  Json pod{{"nodeSelector", node_selector(*type.type, machines.spot)},
           {"terminationGracePeriodSeconds", 30},
           {"containers", Json::array({server_container(fleet, *type.type, "server")})}};
  // New pods first, and none fewer in between.
  const Json update{{"type", "RollingUpdate"}, {"rollingUpdate", {{"maxUnavailable", 0}, {"maxSurge", 1}}}};
  return {{"apiVersion", "apps/v1"},
          {"kind", "Deployment"},
          {"metadata", {{"name", type.name}, {"namespace", fleet.space}, {"labels", labels}}},
          {"spec",
           {{"replicas", machines.count},
            {"selector", {{"matchLabels", labels}}},
            {"strategy", update},
            {"template", {{"metadata", {{"labels", labels}}}, {"spec", pod}}}}}};
}

Json service(const FleetExport& fleet) {
  return {{"apiVersion", "v1"},
          {"kind", "Service"},
          {"metadata", {{"name", service_name(fleet.market->model)}, {"namespace", fleet.space}}},
          {"spec",
           {{"selector", {{"stash-fleet/model", label_value(fleet.market->model)}}},
            {"ports", Json::array({{{"name", "http"}, {"port", 8000}, {"targetPort", "http"}}})}}}};
}

Json autoscaler(const FleetExport& fleet, const ExportedMachines& machines) {
  const ExportedType type = exported_type(fleet, machines);
  const Json target{{"type", "AverageValue"}, {"averageValue", fmt::format("{:.0f}m", type.target_per_s * 1000)}};
  return {{"apiVersion", "autoscaling/v2"},
          {"kind", "HorizontalPodAutoscaler"},
          {"metadata", {{"name", type.name}, {"namespace", fleet.space}}},
          {"spec",
           {{"scaleTargetRef", {{"apiVersion", "apps/v1"}, {"kind", "Deployment"}, {"name", type.name}}},
            {"minReplicas", std::max(machines.count, 1)},
            {"maxReplicas", std::max(machines.most, 1)},
            {"metrics",
             Json::array({{{"type", "Pods"},
                           {"pods", {{"metric", {{"name", "stash_requests_per_second"}}}, {"target", target}}}}})}}}};
}

Json scaled_object(const FleetExport& fleet, const ExportedMachines& machines) {
  const ExportedType type = exported_type(fleet, machines);
  const std::string pods = fmt::format("{{namespace=\"{}\",pod=~\"{}-.*\"}}", fleet.space, type.name);
  const Json trigger{
      {"type", "prometheus"},
      {"metricType", "AverageValue"},
      {"metadata",
       {{"serverAddress", "http://prometheus-operated.monitoring.svc:9090"},
        {"query",
         fmt::format("sum(rate(stash_requests_answered_total{0}[1m])) + sum(rate(stash_requests_refused_total{0}[1m]))",
                     pods)},
        {"threshold", fmt::format("{:.3f}", type.target_per_s)}}}};
  return {{"apiVersion", "keda.sh/v1alpha1"},
          {"kind", "ScaledObject"},
          {"metadata", {{"name", type.name}, {"namespace", fleet.space}}},
          {"spec",
           {{"scaleTargetRef", {{"apiVersion", "apps/v1"}, {"kind", "Deployment"}, {"name", type.name}}},
            {"minReplicaCount", std::max(machines.count, 1)},
            {"maxReplicaCount", std::max(machines.most, 1)},
            {"pollingInterval", 15},
            {"triggers", Json::array({trigger})}}}};
}

template <class Make>
std::string documents(const FleetExport& fleet, const std::string& head, const Make& make) {
  std::string text = head;
  for (const ExportedMachines& machines : fleet.machines) text += "---\n" + yaml_text(make(fleet, machines));
  return text;
}

}  // namespace

std::vector<ExportedFile> kubernetes_files(const FleetExport& fleet) {
  const std::string name = fleet.market->model;
  const std::string deployments = documents(
      fleet,
      fmt::format(
          "# Deployments of {}, one for each type of machine, and a service over all of them.\n"
          "# kubectl apply -f fleet.yaml\n"
          "# Then either `stash fleet run --provider kubernetes` decides how many pods there are, or one of the\n"
          "# autoscalers beside this file; not both.\n",
          name),
      deployment);
  return {
      {"fleet.yaml", deployments + "---\n" + yaml_text(service(fleet))},
      {"hpa.yaml",
       documents(fleet,
                 "# The autoscaler of Kubernetes, by requests per second of a pod: an adapter has to offer the metric\n"
                 "# stash_requests_per_second, the rate of stash_requests_answered_total and _refused_total.\n",
                 autoscaler)},
      {"keda.yaml",
       documents(fleet, "# KEDA, by requests per second from Prometheus, whose address is to be checked.\n",
                 scaled_object)}};
}

}  // namespace stash
