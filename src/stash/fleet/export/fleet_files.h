#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "stash/fleet/market/market.h"

namespace stash {

// Machines of one type in what is exported.
struct ExportedMachines {
  int type = 0;  // of the market
  bool spot = false;
  int count = 1;  // at the start, and at least
  int most = 1;   // that an autoscaler may have; equal to `count`: none
};

// A fleet for somebody else's system. The market outlives it.
struct FleetExport {
  const Market* market = nullptr;
  FleetObjective objective;
  std::string model = "resnet50";        // as `stash serve --model` takes it
  std::string image = "stash:latest";    // with a server of the Open Inference Protocol on port 8000
  std::vector<std::string> arguments{};  // of its container; empty: those of `stash serve`
  std::string space = "default";         // of Kubernetes
  std::vector<ExportedMachines> machines;
};

struct ExportedFile {
  std::string name;
  std::string text;
};

inline constexpr std::array<std::string_view, 4> kExportTargets{"kubernetes", "kserve", "skypilot", "ray"};

// UsageError names the nearest of kExportTargets.
std::vector<ExportedFile> fleet_files(std::string_view target, const FleetExport& fleet);

// Deployments of one type each and a service over all; an autoscaler of Kubernetes and one of KEDA, to choose from.
std::vector<ExportedFile> kubernetes_files(const FleetExport& fleet);
std::vector<ExportedFile> kserve_files(const FleetExport& fleet);    // an InferenceService for each type
std::vector<ExportedFile> skypilot_files(const FleetExport& fleet);  // a SkyServe service for each type
std::vector<ExportedFile> ray_files(const FleetExport& fleet);       // a config of Ray Serve and its module

// What all of them say of one type.
struct ExportedType {
  const MachineType* type;
  std::string name;         // for clusters
  double target_per_s = 0;  // requests of a machine that leave room for the next minutes
  int batch = 1;
  double batch_wait_s = 0;
};
ExportedType exported_type(const FleetExport& fleet, const ExportedMachines& machines);
std::vector<std::string> container_arguments(const FleetExport& fleet, const MachineType& type);
std::string service_name(const std::string& model);

}  // namespace stash
