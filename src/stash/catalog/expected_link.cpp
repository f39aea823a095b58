#include "stash/catalog/expected_link.h"

#include <algorithm>

#include "stash/catalog/gpu_model.h"
#include "stash/catalog/instances.h"
#include "stash/core/words.h"

namespace stash {

namespace {

bool has_gpu(const Instance& instance, const LinkOwner& owner) {
  return !owner.gpu.empty() && lower_case(instance.gpu) == lower_case(owner.gpu);
}

const Instance* alike(const LinkOwner& owner, std::span<const Instance> catalogue) {
  const auto found = std::ranges::find_if(catalogue, [&](const Instance& instance) {
    return has_gpu(instance, owner) && instance.gpus == owner.gpus && instance.vcpus == owner.cores;
  });
  return found == catalogue.end() ? nullptr : &*found;
}

const Instance* with_fastest_links(const LinkOwner& owner, std::span<const Instance> catalogue) {
  const Instance* best = nullptr;
  for (const Instance& instance : catalogue) {
    if (!has_gpu(instance, owner) || !instance.link_bytes_per_s) continue;
    if (best == nullptr || *instance.link_bytes_per_s > *best->link_bytes_per_s) best = &instance;
  }
  return best;
}

}  // namespace

LinkOwner link_owner(const Machine& machine) {
  LinkOwner owner{.instance = {}, .gpu = {}, .gpus = static_cast<int>(machine.gpus.size()), .cores = machine.cores};
  if (machine.gpus.empty()) return owner;
  const GpuInfo& gpu = machine.gpus.front();
  owner.gpu = catalogued_gpu_name(gpu.name, gpu.memory_bytes.value_or(0));
  return owner;
}

std::optional<ExpectedLink> expected_link(LinkKind kind, const LinkOwner& owner, std::span<const Instance> catalogue) {
  const Instance* found = owner.instance.empty() ? nullptr : find_instance_or_null(catalogue, owner.instance);
  if (found == nullptr) found = alike(owner, catalogue);
  if (found == nullptr && owner.any_size && kind == LinkKind::gpus) found = with_fastest_links(owner, catalogue);
  if (found == nullptr) return std::nullopt;
  const auto rate = kind == LinkKind::gpus ? found->link_bytes_per_s : found->network_bytes_per_s;
  return rate ? std::optional(ExpectedLink{found->name, *rate}) : std::nullopt;
}

}  // namespace stash
