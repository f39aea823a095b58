#include "stash/attribute/attribute.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "stash/attribute/communication.h"
#include "stash/attribute/interval.h"
#include "stash/attribute/late_rank.h"
#include "stash/attribute/links.h"
#include "stash/attribute/published.h"
#include "stash/attribute/round_table.h"
#include "stash/attribute/steady_fetch.h"
#include "stash/attribute/stopping.h"
#include "stash/core/applies.h"
#include "stash/core/error.h"
#include "stash/core/statistics.h"

namespace stash {

namespace {

void check_finite(const Ledger& ledger) {
  const auto finite = [](const Estimate& e) { return std::isfinite(e.low_s) && std::isfinite(e.high_s); };
  bool all = finite(ledger.step);
  for (const auto& part : ledger.parts) all = all && (!part || finite(*part));
  if (!all) throw Error("the windows' times are too large to be added up; the profile is damaged, make it again");
}

// The running sum stands for T(c), so that the parts add up to it to the last bit.
void fill_estimates(Ledger& ledger, const RoundTable& table, double edge_s) {
  double sum_s = 0;
  double edge_before_s = 0;
  std::size_t fewest = table.rounds.size();
  for (const ConditionRounds& rounds : undisturbed_rounds(table, edge_s)) {
    const bool is_first = rounds.condition == table.chain.front();
    const double part_s = mean(rounds.added_s);
    fewest = std::min(fewest, rounds.added_s.size());
    if (!is_first || rounds.condition == Condition::solo) {
      ledger[part_added_by(rounds.condition)] =
          interval(part_s, rounds.added_s, std::hypot(rounds.edge_s, edge_before_s));
    }
    sum_s += part_s;
    ledger.step = interval(sum_s, rounds.step_s, rounds.edge_s);
    ledger.step_by_condition[rounds.condition] = ledger.step;
    edge_before_s = rounds.edge_s;
  }
  ledger.rounds = static_cast<int>(fewest);
  ledger.rounds_left_out = static_cast<int>(table.rounds.size() - fewest);
}

// A slow link makes all ranks equally slow. Its host's first rank is named, with what the network stall would be less.
std::optional<LateRank> find_late_link(const Profile& profile, const Ledger& ledger) {
  const std::optional<SlowLink> slow = find_slow_link(profile);
  const std::optional<Estimate>& network = ledger[Part::network];
  if (!slow || !network || network->low_s <= 0) return std::nullopt;
  const auto rank = std::find_if(profile.places.begin(), profile.places.end(),
                                 [&](const RankPlace& place) { return place.node == slow->node; });
  if (rank == profile.places.end()) return std::nullopt;
  return LateRank{.rank = static_cast<int>(rank - profile.places.begin()),
                  .condition = Condition::joined,
                  .s = network->s * (1 - slow->bytes_per_s / slow->others_bytes_per_s),
                  .cause = LateCause::link};
}

}  // namespace

std::vector<Condition> present_conditions(const Job& job, int nodes) {
  const JobShape shape{
      .shares_nodes = job.ranks > nodes, .several_nodes = nodes > 1, .copies_batches = job.device.is_cuda()};
  std::vector<Condition> present;
  for (const Condition condition : kConditions) {
    const bool asked = job.conditions.empty() ||
                       std::find(job.conditions.begin(), job.conditions.end(), condition) != job.conditions.end();
    if (asked && applies(condition, shape)) present.push_back(condition);
  }
  return present;
}

int count_complete_rounds(const Profile& profile) { return static_cast<int>(complete_rounds(profile).rounds.size()); }

Ledger attribute(const Profile& profile) {
  const RoundTable table = complete_rounds(profile);
  if (table.rounds.size() < static_cast<std::size_t>(kFewestRounds)) {
    throw Error(
        fmt::format("the profile has {} complete rounds; at least {} are needed for an interval: profile for "
                    "longer (--max-time)",
                    table.rounds.size(), kFewestRounds));
  }
  Ledger ledger;
  fill_estimates(ledger, table, profile.edge_s);
  if (profile.stopped_by == StoppedBy::precision) keep_to_target(ledger, profile.job.precision_ratio);
  check_finite(ledger);
  ledger.published = published_ratios(ledger, profile.job.ranks, node_count(profile));
  ledger.steady_fetch = predict_steady_fetch(profile, ledger);
  ledger.communication = communication_by_group(profile, ledger);
  ledger.late_rank = find_late_rank(table, ledger.step.s);
  if (!ledger.late_rank) ledger.late_rank = find_late_link(profile, ledger);
  return ledger;
}

}  // namespace stash
