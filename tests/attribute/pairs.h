#pragma once

#include "scripted.h"
#include "stash/attribute/attribute.h"
#include "stash/attribute/difference.h"
#include "stash/attribute/stopping.h"

namespace stash::testing_support {

inline constexpr int kMostPairRounds = 60;  // of short windows, about what two minutes hold

// As `stash profile` does: rounds until every interval is narrow enough.
inline Profile measured(const Script& script, unsigned seed) {
  ScriptedProfile scripted(script, seed);
  scripted.add_rounds(kMinRounds);
  for (int round = kMinRounds; round < kMostPairRounds; ++round) {
    if (precise_enough(attribute(scripted.profile()), scripted.profile().job.precision_ratio)) break;
    scripted.add_round();
  }
  return std::move(scripted.profile());
}

// How often something is said of pairs of profiles, each as a count.
struct PairCounts {
  int pairs = 0;
  int any_real = 0;        // the step or a part
  int unchanged_real = 0;  // a part that did not change; or the step, where nothing did
  int step_real = 0;       // the step, in the right direction
  int failed = 0;          // increases over the limit
  double rounds = 0;       // of all profiles together
};

// Pairs of profiles of a job whose part at `place` of the chain grows by `slower_ratio` of the step.
inline PairCounts simulate_pairs(const Script& script, std::size_t place, double slower_ratio, int pairs,
                                 double limit_ratio = 0.03) {
  Script slower = script;
  slower.added_s[place] += slower_ratio * std::accumulate(script.added_s.begin(), script.added_s.end(), 0.0);
  const Part changed = part_added_by(script.chain[place]);
  PairCounts counts{.pairs = pairs};
  for (int pair = 0; pair < pairs; ++pair) {
    const auto seed = static_cast<unsigned>(2 * pair + 1);
    const Profile before = measured(script, seed), after = measured(slower, seed + 1);
    const Difference difference = compare(before, after);
    bool any = difference.step.real, wrong = difference.step.real && slower_ratio == 0;
    for (const Part part : kParts) {
      any = any || difference[part].real;
      wrong = wrong || (difference[part].real && (part != changed || slower_ratio == 0));
    }
    counts.any_real += any;
    counts.unchanged_real += wrong;
    counts.step_real += difference.step.real && difference.step.change->s > 0;
    counts.failed += !increases_over(difference, limit_ratio).empty();
    counts.rounds += count_complete_rounds(before) + count_complete_rounds(after);
  }
  return counts;
}

}  // namespace stash::testing_support
