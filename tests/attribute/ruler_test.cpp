// The ruler itself: known parts, scripted noise, and intervals that must cover what was put in.
#include <gtest/gtest.h>

#include "scripted.h"
#include "stash/attribute/attribute.h"
#include "stash/attribute/stopping.h"

namespace stash {

namespace {

using testing_support::Noise;
using testing_support::Script;
using testing_support::ScriptedProfile;

constexpr int kProfiles = 600;
constexpr int kMostRounds = 60;
constexpr double kPrecision = 0.02;

struct Outcome {
  double part_coverage = 0;  // of all parts but compute
  double compute_coverage = 0;
  double step_coverage = 0;
  double rounds = 0;  // mean, those left out too
  double left_out = 0;
};

bool covers(const Estimate& estimate, double truth_s) {
  return estimate.low_s <= truth_s && truth_s <= estimate.high_s;
}

// As `stash profile` does: rounds until the rule says stop.
Ledger measure(ScriptedProfile& scripted) {
  PrecisionRule precision(kPrecision);
  scripted.add_rounds(kFewestRounds);
  Ledger ledger = attribute(scripted.profile());
  for (int round = kFewestRounds; round < kMostRounds && !precision.met_after(ledger); ++round) {
    scripted.add_round();
    ledger = attribute(scripted.profile());
  }
  return ledger;
}

Outcome simulate(const Noise& noise) {
  Script script;
  script.noise = noise;
  const double step_s = std::accumulate(script.added_s.begin(), script.added_s.end(), 0.0);
  Outcome outcome;
  for (int i = 0; i < kProfiles; ++i) {
    ScriptedProfile scripted(script, static_cast<unsigned>(i + 1));
    const Ledger ledger = measure(scripted);
    for (std::size_t place = 1; place < script.chain.size(); ++place) {
      const bool covered = covers(*ledger[part_added_by(script.chain[place])], script.added_s[place]);
      outcome.part_coverage += covered / static_cast<double>(script.chain.size() - 1);
    }
    outcome.compute_coverage += covers(*ledger[Part::compute], script.added_s[0]);
    outcome.step_coverage += covers(ledger.step, step_s);
    outcome.rounds += ledger.rounds + ledger.rounds_left_out;
    outcome.left_out += ledger.rounds_left_out;
  }
  for (double* figure : {&outcome.part_coverage, &outcome.compute_coverage, &outcome.step_coverage, &outcome.rounds,
                         &outcome.left_out}) {
    *figure /= kProfiles;
  }
  return outcome;
}

void expect_coverage(double coverage) {
  EXPECT_GE(coverage, 0.93);
  EXPECT_LE(coverage, 0.97);
}

}  // namespace

TEST(Ruler, IntervalsCoverUnderSmallNoise) {
  const Outcome outcome = simulate({.normal_s = 0.0007});
  expect_coverage(outcome.part_coverage);
  expect_coverage(outcome.compute_coverage);
  expect_coverage(outcome.step_coverage);
  EXPECT_LT(outcome.rounds, 5.5);
}

TEST(Ruler, IntervalsCoverWhenRoundsGoOnUntilTheyAreNarrow) {
  const Outcome outcome = simulate({.normal_s = 0.003});
  expect_coverage(outcome.part_coverage);
  expect_coverage(outcome.compute_coverage);
  expect_coverage(outcome.step_coverage);
  EXPECT_GT(outcome.rounds, 8);
  EXPECT_LT(outcome.rounds, 20);
}

TEST(Ruler, IntervalsCoverUnderSkewedNoise) {
  const Outcome outcome = simulate({.skewed_s = 0.002});
  expect_coverage(outcome.part_coverage);
  // A mean of few skewed values is covered less often, which differences of two are spared.
  EXPECT_GE(outcome.compute_coverage, 0.88);
  EXPECT_GE(outcome.step_coverage, 0.88);
}

TEST(Ruler, DriftCancelsInTheDifferences) {
  // The step grows by 3.4 % within the fewest rounds.
  const Outcome outcome = simulate({.normal_s = 0.0007, .drift_s = 0.0002});
  expect_coverage(outcome.part_coverage);
  EXPECT_LT(outcome.rounds, 6);
}

TEST(Ruler, NoisyNeighbourIsLeftOut) {
  const Outcome outcome = simulate({.normal_s = 0.0007, .hit_probability = 0.02, .hit_s = 0.02});
  expect_coverage(outcome.part_coverage);
  expect_coverage(outcome.compute_coverage);
  expect_coverage(outcome.step_coverage);
  EXPECT_LT(outcome.rounds, 9);
  EXPECT_GT(outcome.left_out, 0.4);
}

TEST(Ruler, OrdinaryRoundsAreKept) {
  EXPECT_LT(simulate({.normal_s = 0.0007}).left_out, 0.01);
  EXPECT_LT(simulate({.normal_s = 0.003}).left_out, 0.05);
}

}  // namespace stash
