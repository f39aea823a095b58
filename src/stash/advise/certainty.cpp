#include "stash/advise/certainty.h"

#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <string_view>
#include <unordered_map>

#include "stash/input/random.h"

namespace stash {

namespace {

// A share of one half is then known to 3 points, more than the intervals deserve, within 20 ms for 1,600 candidates.
constexpr std::size_t kDraws = 300;
constexpr double kHalfInterval =
    1.959963984540054;  // standard deviations from the middle to the end of a 95 % interval

using Draws = std::array<double, kDraws>;

// Names, not places, so that a machine more or less leaves the draws of the others alone (FNV-1a).
std::uint64_t hash_of(std::string_view name) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  return hash;
}

// Standard normal, two at a time (Box and Muller): the same on every machine, which std::normal_distribution is not.
Draws normal_draws(std::uint64_t seed) {
  static_assert(kDraws % 2 == 0);
  Random random(seed);
  Draws draws;
  for (std::size_t i = 0; i < kDraws; i += 2) {
    const double radius = std::sqrt(-2 * std::log(1 - random.uniform()));
    const double angle = 2 * std::numbers::pi * random.uniform();
    draws[i] = radius * std::cos(angle);
    draws[i + 1] = radius * std::sin(angle);
  }
  return draws;
}

// Draws by name, made when first asked for.
class NamedDraws {
 public:
  explicit NamedDraws(std::uint64_t seed) : seed_(mix(seed)) {}

  const Draws& of(const std::string& name) {
    const auto [place, is_new] = draws_.try_emplace(name);
    if (is_new) place->second = normal_draws(seed_ ^ hash_of(name));
    return place->second;
  }

 private:
  std::uint64_t seed_;
  std::unordered_map<std::string, Draws> draws_;
};

// Of one candidate in all draws: how its step turns out against the predicted one.
Draws step_ratios(const Candidate& candidate, NamedDraws& named) {
  const Prediction& prediction = *candidate.prediction;
  const Draws& common = named.of("gpu " + prediction.gpu);
  const Draws& own = named.of("instance " + prediction.cloud + " " + prediction.instance);
  const double common_weight = std::sqrt(candidate.common_ratio);
  const double own_weight = std::sqrt(1 - candidate.common_ratio);
  const double below = -std::log(candidate.low_ratio) / kHalfInterval;
  const double above = std::log(candidate.high_ratio) / kHalfInterval;
  Draws ratios;
  for (std::size_t draw = 0; draw < kDraws; ++draw) {
    const double z = common_weight * common[draw] + own_weight * own[draw];
    ratios[draw] = std::exp(z * (z < 0 ? below : above));
  }
  return ratios;
}

struct First {
  Goal::Score score{std::numeric_limits<double>::infinity(), 0};
  std::size_t candidate = 0;
};

}  // namespace

Certainty draw_certainty(std::span<const Candidate> candidates, const Goal& goal, std::uint64_t seed) {
  constexpr double kOne = 1.0 / kDraws;
  Certainty certainty{std::vector<double>(candidates.size()), std::vector<double>(candidates.size()), 0};
  if (candidates.empty()) return certainty;
  NamedDraws named(seed);
  std::array<First, kDraws> firsts;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const Draws ratios = step_ratios(candidates[i], named);
    int meets = 0;
    for (std::size_t draw = 0; draw < kDraws; ++draw) {
      const double time_s = candidates[i].time_with(ratios[draw]);
      const Goal::Score score = goal.score(time_s, time_s * candidates[i].usd_per_s.value_or(0));
      if (score.excess == 0) ++meets;
      if (score < firsts[draw].score) firsts[draw] = {score, i};
    }
    certainty.meets_ratio[i] = meets * kOne;
  }
  for (const First& first : firsts) {
    certainty.first_ratio[first.candidate] += kOne;
    if (first.score.excess > 0) certainty.none_meets_ratio += kOne;
  }
  return certainty;
}

}  // namespace stash
