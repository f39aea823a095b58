#include "stash/cli/wiring_here.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "stash/catalog/gpu_model.h"
#include "stash/catalog/instances.h"
#include "stash/cli/output.h"
#include "stash/core/error.h"
#include "stash/launch/gpu_topology.h"
#include "stash/launch/machine_info.h"

namespace stash {
namespace {

const Gpu* gpu_called(const std::string& model) {
  const std::string name = catalogued_gpu_name(model);
  const auto found = std::ranges::find(gpu_table(), name, &Gpu::name);
  return found == gpu_table().end() ? nullptr : &*found;
}

std::vector<GpuSlot> slots_here() {
  std::vector<GpuSlot> slots;
  for (const PcieLanes& lanes : gpu_lanes()) slots.push_back({lanes.address, lanes.in_use, lanes.most});
  return slots;
}

}  // namespace

std::optional<TopologyFindings> examine_this_machine(const Instance* type, std::span<const Instance> instances) {
  const std::optional<std::string> text = smi_topology_text();
  if (!text) return std::nullopt;
  MachineWiring wiring{.matrix = {}, .gpu = nullptr, .type = type, .slots = slots_here()};
  try {
    wiring.matrix = parse_smi_matrix(*text, "nvidia-smi topo -m");
  } catch (const Error& error) {
    tell_warnings(std::array<std::string, 1>{error.what()});
    return std::nullopt;
  }
  if (wiring.type == nullptr) wiring.type = find_instance_or_null(instances, product_name().value_or(""));
  const std::vector<std::string> models = gpu_models();
  if (!models.empty()) wiring.gpu = gpu_called(models.front());
  if (wiring.gpu == nullptr && wiring.type != nullptr) wiring.gpu = known_gpu(*wiring.type);
  return examine(wiring);
}

}  // namespace stash
