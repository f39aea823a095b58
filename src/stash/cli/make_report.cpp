#include "stash/cli/make_report.h"

#include "stash/advise/first_steps.h"
#include "stash/advise/tried_steps.h"
#include "stash/attribute/attribute.h"
#include "stash/catalog/expected_link.h"
#include "stash/core/profile_json.h"

namespace stash {

Report make_report(Profile profile, std::span<const Instance> instances, std::optional<double> usd_per_hour) {
  const Ledger ledger = attribute(profile);
  const LinkOwner owner = link_owner(profile.machine);
  std::vector<FirstStep> steps = first_steps(profile, ledger, instances);
  Tries tries = tries_of(profile, ledger, steps);
  return {.profile = std::move(profile),
          .ledger = ledger,
          .first_steps = std::move(steps),
          .tries = std::move(tries),
          .gpu_link = expected_link(LinkKind::gpus, owner, instances),
          .network_link = expected_link(LinkKind::network, owner, instances),
          .usd_per_hour = usd_per_hour};
}

std::optional<Report> report_of_file(const std::string& path, std::span<const Instance> instances) {
  if (path.empty()) return std::nullopt;
  return make_report(read_profile(path), instances);
}

}  // namespace stash
