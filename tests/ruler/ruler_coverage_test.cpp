// The whole ruler over thousands of scripted profiles: a 95 % interval must cover what was put in as often as it says.
#include <gtest/gtest.h>

#include <map>

#include "simulated_run.h"
#include "stash/attribute/attribute.h"

namespace stash {
namespace {

constexpr int kCoverageProfiles = 2000;  // a coverage of 95 % is then known to 0.5 points (one deviation)

struct CoverageFigures {
  std::map<Part, double> part;
  double step = 0;
  double rounds = 0;    // mean
  double left_out = 0;  // mean
};

bool covers_truth(const Estimate& estimate, double truth_s) {
  return estimate.low_s <= truth_s && truth_s <= estimate.high_s;
}

CoverageFigures cover(Script script, const std::vector<Condition>& chain = kWholeChain) {
  constexpr double kShare = 1.0 / kCoverageProfiles;
  CoverageFigures figures;
  for (int i = 0; i < kCoverageProfiles; ++i) {
    Job job;
    job.max_time_s = 1e6;
    job.seed = script.noise.seed = static_cast<std::uint64_t>(i + 1);
    const Ledger ledger = attribute(simulate(script, job, chain).profile);
    for (const Condition condition : chain) {
      const Part part = part_added_by(condition);
      figures.part[part] += covers_truth(*ledger[part], script[part]) * kShare;
    }
    figures.step += covers_truth(ledger.step, script.step_s(chain.back())) * kShare;
    figures.rounds += (ledger.rounds + ledger.rounds_left_out) * kShare;
    figures.left_out += ledger.rounds_left_out * kShare;
  }
  return figures;
}

void expect_promised(const CoverageFigures& figures) {
  for (const auto& [part, coverage] : figures.part) {
    EXPECT_GE(coverage, 0.93) << to_string(part);
    EXPECT_LE(coverage, 0.97) << to_string(part);
  }
  EXPECT_GE(figures.step, 0.93);
  EXPECT_LE(figures.step, 0.97);
}

TEST(RulerCoverage, HoldsUnderSmallNoise) {
  Script script;
  script.noise.normal_s = 0.001;
  const CoverageFigures figures = cover(script);
  expect_promised(figures);
  EXPECT_LT(figures.rounds, 5.5);
}

TEST(RulerCoverage, HoldsWhenRoundsGoOnUntilIntervalsAreNarrow) {
  Script script;
  script.noise.normal_s = 0.004;
  const CoverageFigures figures = cover(script);
  expect_promised(figures);
  EXPECT_GT(figures.rounds, 8);
}

// What ends the rounds is then one part's width alone, which costs that part most.
TEST(RulerCoverage, HoldsWhenRoundsGoOnBecauseOfTheInputAlone) {
  Script script;
  script.noise.normal_s = 0.008;
  script.noise.calm_ratio = 0.05;
  const CoverageFigures figures = cover(script);
  expect_promised(figures);
  EXPECT_GT(figures.rounds, 8);
  EXPECT_LT(figures.rounds, 16);
}

TEST(RulerCoverage, HoldsForAStepThatIsAllCompute) {
  Script script;
  script.noise.normal_s = 0.006;
  expect_promised(cover(script, {Condition::solo}));
}

TEST(RulerCoverage, HoldsUnderSkewedNoise) {
  Script script;
  script.noise.skewed_s = 0.004;
  expect_promised(cover(script));
}

TEST(RulerCoverage, HoldsOnARunThatIsHitFromOutside) {
  Script script;
  script.noise.normal_s = 0.001;
  script.noise.hit_probability = 0.02;
  script.noise.hit_s = 0.2;
  const CoverageFigures figures = cover(script);
  expect_promised(figures);
  EXPECT_GT(figures.left_out, 0.3);
}

}  // namespace
}  // namespace stash
