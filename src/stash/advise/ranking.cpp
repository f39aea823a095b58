#include "stash/advise/ranking.h"

#include <algorithm>
#include <span>
#include <string_view>
#include <tuple>

#include "stash/advise/advice.h"
#include "stash/advise/certainty.h"
#include "stash/advise/near_ties.h"

namespace stash {

namespace {

// Names settle what is equal in all that counts.
auto names_of(const Candidate& candidate) {
  const Prediction& prediction = *candidate.prediction;
  return std::tuple(prediction.nodes, std::string_view(prediction.instance), std::string_view(prediction.cloud),
                    std::string_view(prediction.gpu));
}

void sort_by_amount(std::span<Candidate> sure, const Goal& goal) {
  std::ranges::stable_sort(sure, {}, [&](const Candidate& candidate) {
    return std::tuple(goal.amount(candidate), candidate.time_s, candidate.cost_usd.value_or(0), names_of(candidate));
  });
}

void sort_by_chance(std::span<Candidate> unsure, const Goal& goal) {
  std::ranges::stable_sort(unsure, {}, [&](const Candidate& candidate) {
    const double chance = goal.chance(candidate), cost_usd = candidate.cost_usd.value_or(0);
    return std::tuple(chance < kNoChanceRatio ? 0 : -chance, goal.excess(candidate.time_s, cost_usd), candidate.time_s,
                      names_of(candidate));
  });
}

// Of near-ties the one that asks for the least comes first.
auto preference(const RankedCandidate& candidate) {
  return std::tuple(candidate.prediction->nodes, candidate.prediction->gpus, -candidate.meets_ratio);
}

// Among candidates that come with the smallest amount first.
const Prediction* best_with(double probability, std::span<const RankedCandidate> candidates, const NearTies& ties,
                            const Goal& goal) {
  std::optional<std::size_t> leader, best;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (!goal.meets_with(candidates[i], probability)) continue;
    if (!leader) leader = best = i;
    const bool is_better = preference(candidates[i]) < preference(candidates[*best]);
    if (is_better && ties.are_tied(*leader, i)) best = i;
  }
  return best ? candidates[*best].prediction : nullptr;
}

}  // namespace

Ranking rank(std::vector<Candidate> candidates, const Goal& goal, std::uint64_t seed) {
  const auto unsure =
      std::ranges::stable_partition(candidates, [&](const Candidate& candidate) { return goal.is_sure(candidate); });
  Ranking ranking;
  ranking.sure = candidates.size() - unsure.size();
  sort_by_amount(std::span(candidates).first(ranking.sure), goal);
  sort_by_chance(std::span(candidates).subspan(ranking.sure), goal);
  const Certainty certainty = draw_certainty(candidates, goal, seed);
  const NearTies ties(candidates, certainty.steps, goal);
  const std::vector<int> groups = ties.groups(ranking.sure);
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    ranking.candidates.push_back({candidates[i], goal.chance(candidates[i]), certainty.first_ratio[i], {}});
    if (i < ranking.sure) ranking.candidates.back().group = groups[i];
  }
  const std::span<RankedCandidate> sure = std::span(ranking.candidates).first(ranking.sure);
  const Prediction* surer = best_with(kSurerRatio, sure, ties, goal);
  std::ranges::stable_sort(
      sure, {}, [](const RankedCandidate& candidate) { return std::tuple(*candidate.group, preference(candidate)); });
  if (surer != nullptr && !goal.meets_with(sure.front(), kSurerRatio)) {
    const auto place = std::ranges::find(sure, surer, &Candidate::prediction);
    ranking.surer = static_cast<std::size_t>(place - sure.begin());
  }
  return ranking;
}

}  // namespace stash
