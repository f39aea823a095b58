#include "stash/report/html/expected_link.h"

#include <algorithm>

#include "stash/catalog/gpu_model.h"
#include "stash/catalog/lower_case.h"

namespace stash {

namespace {

bool is_like(const Instance& instance, const Machine& machine) {
  if (machine.gpus.empty() || instance.gpus != static_cast<int>(machine.gpus.size())) return false;
  const GpuInfo& gpu = machine.gpus.front();
  const std::string name = catalogued_gpu_name(gpu.name, gpu.memory_bytes.value_or(0));
  return lower_case(instance.gpu) == lower_case(name) && instance.vcpus == machine.cores;
}

}  // namespace

std::optional<ExpectedLink> expected_link(const Profile& profile, const LinkTime& link,
                                          std::span<const Instance> instances) {
  const bool in_node = link.scope == "node";
  if (profile.job.device != "cuda" || (in_node && profile.job.backend != "nccl")) return std::nullopt;
  const auto found =
      std::ranges::find_if(instances, [&](const Instance& instance) { return is_like(instance, profile.machine); });
  if (found == instances.end()) return std::nullopt;
  const auto rate = in_node ? found->link_bytes_per_s : found->network_bytes_per_s;
  if (!rate) return std::nullopt;
  return ExpectedLink{found->name, *rate};
}

}  // namespace stash
