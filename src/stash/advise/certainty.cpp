#include "stash/advise/certainty.h"

#include <array>
#include <cmath>
#include <limits>
#include <string>

#include "stash/advise/error_shares.h"
#include "stash/core/statistics.h"

namespace stash {

namespace {

// Of one candidate in all draws, in standard deviations.
Draws errors(const Prediction& prediction, NamedDraws& named) {
  Draws sum{};
  const auto add = [&](double share, const std::string& name) {
    if (!(share > 0)) return;
    const auto weight = static_cast<float>(std::sqrt(share));
    const Draws& draws = named.of(name);
    for (std::size_t draw = 0; draw < kDraws; ++draw) sum[draw] += weight * draws[draw];
  };
  const ErrorShares shares = error_shares(prediction);
  add(shares.job, "job");
  add(shares.gpu, "gpu " + prediction.gpu);
  add(shares.links, "links " + prediction.links);
  add(shares.network, "network " + prediction.cloud);
  add(shares.input, "input");
  add(shares.own, "instance " + prediction.cloud + " " + prediction.instance);
  return sum;
}

Draws step_ratios(const Candidate& candidate, NamedDraws& named) {
  Draws ratios = errors(*candidate.prediction, named);
  const auto below = static_cast<float>(-std::log(candidate.low_ratio) / kNormalQuantile975);
  const auto above = static_cast<float>(std::log(candidate.high_ratio) / kNormalQuantile975);
  for (float& z : ratios) z = std::exp(z * (z < 0 ? below : above));
  return ratios;
}

// The best of a draw so far. What meets comes first, by what counts; else what is closest to the goal.
struct First {
  double excess = std::numeric_limits<double>::infinity();
  double amount = 0;
  std::size_t candidate = 0;
};

void compare(const Candidate& candidate, std::size_t place, const Draws& ratios, const Goal& goal,
             std::array<First, kDraws>& firsts) {
  const double goals_per_s = 1 / goal.longest_s(candidate), weight = goal.weight_of_time(candidate);
  for (std::size_t draw = 0; draw < kDraws; ++draw) {
    const double time_s = candidate.time_with(ratios[draw]);
    const double over = time_s * goals_per_s;
    const double excess = over > Goal::kMet ? over : 0;
    const double amount = excess > 0 ? excess : time_s * weight;
    First& first = firsts[draw];
    if (excess < first.excess || (excess == first.excess && amount < first.amount)) first = {excess, amount, place};
  }
}

}  // namespace

Certainty draw_certainty(std::span<const Candidate> candidates, const Goal& goal, std::uint64_t seed) {
  Certainty certainty{std::vector<double>(candidates.size()), {}};
  if (candidates.empty()) return certainty;
  certainty.steps.reserve(candidates.size());
  NamedDraws named(seed);
  std::array<First, kDraws> firsts;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const Draws& ratios = certainty.steps.emplace_back(step_ratios(candidates[i], named));
    compare(candidates[i], i, ratios, goal, firsts);
  }
  for (const First& first : firsts) certainty.first_ratio[first.candidate] += 1.0 / kDraws;
  return certainty;
}

}  // namespace stash
