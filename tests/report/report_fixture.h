#pragma once

#include <utility>

#include "stash/advise/first_steps.h"
#include "stash/attribute/attribute.h"
#include "stash/catalog/instances.h"
#include "stash/core/profile.h"
#include "stash/report/report.h"

namespace stash::testing_support {

// A profile of two ranks whose rounds scatter by +-`scatter_s` a step around the given step times.
inline Profile make_profile(const std::vector<std::pair<Condition, double>>& step_s, double scatter_s = 0.0002) {
  constexpr int kSteps = 5;
  Profile profile;
  profile.job.model = "resnet50";
  profile.job.batch = 64;
  profile.machine.hostname = "node1";
  profile.machine.cpu = "Some CPU";
  profile.machine.cores = 8;
  profile.complete = true;
  profile.stopped_by = StoppedBy::precision;
  profile.elapsed_s = 31;
  for (int round = 0; round < 6; ++round) {
    for (std::size_t place = 0; place < step_s.size(); ++place) {
      const auto& [condition, time_s] = step_s[place];
      const int direction = (round + static_cast<int>(place) * (round / 2 + 1)) % 3 - 1;
      const RankSample sample{kSteps * (time_s + direction * scatter_s), 0, 0};
      const bool waits = condition == Condition::solo;
      profile.windows.push_back(
          {round, condition, kSteps, {sample, waits ? std::nullopt : std::optional(sample)}, {}, {}, {}});
    }
  }
  return profile;
}

// As a verb makes it, with the built-in catalogue.
inline Report report_of(const Profile& profile, std::optional<double> usd_per_hour = {}) {
  const Ledger ledger = attribute(profile);
  const LinkOwner owner = link_owner(profile.machine);
  return {.profile = profile,
          .ledger = ledger,
          .first_steps = first_steps(profile, ledger, instance_table()),
          .tries = {},
          .gpu_link = expected_link(LinkKind::gpus, owner, instance_table()),
          .network_link = expected_link(LinkKind::network, owner, instance_table()),
          .usd_per_hour = usd_per_hour};
}

// Interconnect 37 of 90 ms, a little prep, nothing else.
inline Profile interconnect_profile() {
  return make_profile({{Condition::solo, 0.0433},
                       {Condition::apart, 0.0434},
                       {Condition::node, 0.0806},
                       {Condition::hot, 0.0900},
                       {Condition::cold, 0.0901}});
}

// Interconnect takes 4 ms more.
inline Profile slower_profile() {
  return make_profile({{Condition::solo, 0.0433},
                       {Condition::apart, 0.0434},
                       {Condition::node, 0.0846},
                       {Condition::hot, 0.0940},
                       {Condition::cold, 0.0941}});
}

}  // namespace stash::testing_support
