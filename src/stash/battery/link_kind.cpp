#include "stash/battery/link_kind.h"

#include <algorithm>

#include "stash/catalog/expected_link.h"

namespace stash {
namespace {

// NCCL's all-reduce reaches 0.6 to 0.9 of what the links can carry; less than this, and something is in its way.
constexpr double kShortRatio = 0.5;

LinkOwner owner_of(const BatterySummary& summary) {
  LinkOwner owner = link_owner(summary.machine);
  for (const CaseResult* result : finished_cases(summary)) {
    const JobDevice& device = result->of.job.device;
    if (!device.is_emulated()) continue;
    owner = LinkOwner{.instance = {}, .gpu = device.gpu()};
    break;
  }
  owner.instance = summary.instance;
  owner.any_size = true;
  return owner;
}

void add(std::vector<LinkComparison>& links, const BatterySummary& summary, std::string_view figure, std::string link,
         const std::optional<ExpectedLink>& expected) {
  const auto measured = std::ranges::find_if(
      summary.figures, [&](const Figure& one) { return one.name == figure && one.median.value_or(0) > 0; });
  if (measured == summary.figures.end() || !expected) return;
  links.push_back({.machine = 0,
                   .link = std::move(link),
                   .measured_bytes_per_s = *measured->median,
                   .expected_bytes_per_s = expected->bytes_per_s,
                   .expected_of = expected->instance,
                   .falls_short = *measured->median < kShortRatio * expected->bytes_per_s});
}

}  // namespace

std::vector<LinkComparison> compare_links(const BatterySummary& summary, std::span<const Instance> catalogue) {
  std::vector<LinkComparison> links;
  const LinkOwner owner = owner_of(summary);
  add(links, summary, "link_node_rate", "GPU links", expected_link(LinkKind::gpus, owner, catalogue));
  add(links, summary, "link_pair_rate", "network", expected_link(LinkKind::network, owner, catalogue));
  return links;
}

}  // namespace stash
