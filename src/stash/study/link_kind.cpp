#include "stash/study/link_kind.h"

#include <algorithm>

#include "stash/catalog/gpu_model.h"
#include "stash/catalog/instances.h"
#include "stash/catalog/lower_case.h"

namespace stash {
namespace {

// NCCL's all-reduce reaches 0.6 to 0.9 of what the links can carry; less than this, and something is in its way.
constexpr double kShortRatio = 0.5;

std::string gpu_of(const BatterySummary& summary) {
  constexpr std::string_view kEmulated = "emulated:";
  for (const CaseResult* result : finished_cases(summary)) {
    const std::string& device = result->of.job.device;
    if (device.starts_with(kEmulated)) return device.substr(kEmulated.size());
  }
  if (summary.machine.gpus.empty()) return "";
  const GpuInfo& gpu = summary.machine.gpus.front();
  return catalogued_gpu_name(gpu.name, gpu.memory_bytes.value_or(0));
}

const Instance* with_fastest_links(const std::string& gpu, std::span<const Instance> catalogue) {
  const Instance* best = nullptr;
  for (const Instance& instance : catalogue) {
    if (gpu.empty() || lower_case(instance.gpu) != lower_case(gpu) || !instance.link_bytes_per_s) continue;
    if (best == nullptr || *instance.link_bytes_per_s > *best->link_bytes_per_s) best = &instance;
  }
  return best;
}

void add(std::vector<LinkComparison>& links, const BatterySummary& summary, std::string_view figure, std::string link,
         const std::optional<double>& expected_bytes_per_s, const std::string& expected_of) {
  const auto measured = std::ranges::find_if(
      summary.figures, [&](const Figure& one) { return one.name == figure && one.median.value_or(0) > 0; });
  if (measured == summary.figures.end() || !expected_bytes_per_s) return;
  links.push_back({.machine = 0,
                   .link = std::move(link),
                   .measured_bytes_per_s = *measured->median,
                   .expected_bytes_per_s = *expected_bytes_per_s,
                   .expected_of = expected_of,
                   .falls_short = *measured->median < kShortRatio * *expected_bytes_per_s});
}

}  // namespace

std::vector<LinkComparison> compare_links(const BatterySummary& summary, std::span<const Instance> catalogue) {
  std::vector<LinkComparison> links;
  const Instance* const own = summary.instance.empty() ? nullptr : find_if_any(catalogue, summary.instance);
  const Instance* const kind = own != nullptr ? own : with_fastest_links(gpu_of(summary), catalogue);
  if (kind != nullptr) add(links, summary, "link_node_rate", "GPU links", kind->link_bytes_per_s, kind->name);
  if (own != nullptr) add(links, summary, "link_pair_rate", "network", own->network_bytes_per_s, own->name);
  return links;
}

}  // namespace stash
