#include "stash/attribute/attribute.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "stash/attribute/late_rank.h"
#include "stash/attribute/links.h"
#include "stash/attribute/published.h"
#include "stash/attribute/rounds.h"
#include "stash/attribute/steady_fetch.h"
#include "stash/core/error.h"
#include "stash/core/statistics.h"

namespace stash {

namespace {

bool has_meaning(Condition condition, const Job& job, int nodes) {
  switch (condition) {
    case Condition::apart:
    case Condition::node:
      return job.ranks > nodes;
    case Condition::joined:
      return nodes > 1;
    case Condition::staged:
      return job.device.starts_with("cuda");
    default:
      return true;
  }
}

// What the edges of a window put on each of its steps, on average over the rounds.
double edge_per_step_s(const RoundTable& table, std::size_t place, double edge_s) {
  double sum = 0;
  for (const auto& round : table.rounds) sum += edge_s / round[place]->steps;
  return sum / static_cast<double>(table.rounds.size());
}

// Around `s`: chance from the spread over rounds, and the edges, which repetition does not average away.
Estimate interval(double s, const std::vector<double>& values, double edge_s) {
  const int count = static_cast<int>(values.size());
  const double chance_s = student_t_quantile_975(count - 1) * std::sqrt(sample_variance(values) / count);
  const double half_s = std::hypot(chance_s, edge_s);
  return {s, s - half_s, s + half_s};
}

void check_finite(const Ledger& ledger) {
  const auto finite = [](const Estimate& e) { return std::isfinite(e.low_s) && std::isfinite(e.high_s); };
  bool all = finite(ledger.step);
  for (const auto& part : ledger.parts) all = all && (!part || finite(*part));
  if (!all) throw Error("the windows' times are too large to be added up; the profile is damaged, make it again");
}

// The running sum stands for T(c), so that the parts add up to it to the last bit. A window that was hit from outside
// takes its round away from the parts on either side of it, not from the others.
void fill_estimates(Ledger& ledger, const RoundTable& table, double edge_s) {
  const std::size_t rounds = table.rounds.size();
  const double typical_step_s = median(table.step_s(table.chain.size() - 1));
  double sum_s = 0;
  double edge_before_s = 0;
  std::vector<double> before_s(rounds, 0);
  std::size_t fewest = rounds;
  for (std::size_t place = 0; place < table.chain.size(); ++place) {
    const std::vector<double> step_s = table.step_s(place);
    std::vector<double> added_s(rounds);
    std::transform(step_s.begin(), step_s.end(), before_s.begin(), added_s.begin(), std::minus<>());
    added_s = without_disturbed(added_s, typical_step_s);
    fewest = std::min(fewest, added_s.size());
    const double part_s = mean(added_s);
    const double edge_here_s = edge_per_step_s(table, place, edge_s);
    const Condition condition = table.chain[place];
    if (place > 0 || condition == Condition::solo) {
      ledger[part_added_by(condition)] = interval(part_s, added_s, std::hypot(edge_here_s, edge_before_s));
    }
    sum_s += part_s;
    ledger.step = interval(sum_s, without_disturbed(step_s, typical_step_s), edge_here_s);
    ledger.step_by_condition[condition] = ledger.step;
    before_s = step_s;
    edge_before_s = edge_here_s;
  }
  ledger.rounds = static_cast<int>(fewest);
  ledger.rounds_left_out = static_cast<int>(rounds - fewest);
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
  std::vector<Condition> present;
  for (const Condition condition : kConditions) {
    const bool asked = job.conditions.empty() ||
                       std::find(job.conditions.begin(), job.conditions.end(), condition) != job.conditions.end();
    if (asked && has_meaning(condition, job, nodes)) present.push_back(condition);
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
  check_finite(ledger);
  ledger.published = published_ratios(ledger, profile.job.ranks, node_count(profile));
  ledger.steady_fetch = predict_steady_fetch(profile, ledger);
  ledger.late_rank = find_late_rank(table, ledger.step.s);
  if (!ledger.late_rank) ledger.late_rank = find_late_link(profile, ledger);
  return ledger;
}

}  // namespace stash
