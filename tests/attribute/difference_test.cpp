#include "stash/attribute/difference.h"

#include <gtest/gtest.h>

#include "../core/contains.h"
#include "pairs.h"
#include "stash/core/error.h"

namespace stash {

namespace {

using testing_support::Noise;
using testing_support::PairCounts;
using testing_support::Script;
using testing_support::ScriptedProfile;
using testing_support::simulate_pairs;

constexpr int kPairs = 600;
constexpr std::size_t kCompute = 0, kInterconnect = 2, kFetch = 4;

Script quiet(std::vector<double> added_s) { return {.added_s = std::move(added_s), .noise = {.normal_s = 0.0005}}; }

Profile profile_of(const Script& script, unsigned seed = 1, int rounds = 8) {
  return std::move(ScriptedProfile(script, seed).add_rounds(rounds).profile());
}

// At most 5 %, which of this many pairs may show as two standard deviations more.
void expect_few_false_alarms(const Noise& noise) {
  const PairCounts counts = simulate_pairs({.noise = noise}, kCompute, 0, kPairs);
  EXPECT_LE(counts.any_real, kPairs * (kFalseAlarmRatio + 2 * 0.009));
}

void expect_found(const Noise& noise, std::size_t place) {
  const PairCounts counts = simulate_pairs({.noise = noise}, place, 0.03, kPairs);
  EXPECT_GE(counts.step_real, kPairs * 95 / 100) << place;
  EXPECT_GE(counts.failed, kPairs * 95 / 100) << place;
  EXPECT_LE(counts.unchanged_real, kPairs * (kFalseAlarmRatio + 2 * 0.009)) << place;
}

}  // namespace

TEST(Difference, FalseAlarmsAreRareOverAllPartsTogether) {
  expect_few_false_alarms({.normal_s = 0.0007});
  expect_few_false_alarms({.normal_s = 0.0022});
  expect_few_false_alarms({.skewed_s = 0.002});
  expect_few_false_alarms({.normal_s = 0.0007, .hit_probability = 0.02, .hit_s = 0.02});
  expect_few_false_alarms({.normal_s = 0.0007, .drift_s = 0.0002});
  expect_few_false_alarms({.normal_s = 0.0008, .hit_probability = 0.05, .hit_s = 0.0015, .calm_ratio = 0.05});
  expect_few_false_alarms(
      {.normal_s = 0.0013, .wander_s = 0.0008, .hit_probability = 0.08, .hit_s = 0.006, .calm_ratio = 0.05});
}

TEST(Difference, AStepThatIsThreePercentSlowerIsFound) {
  for (const std::size_t place : {kCompute, kInterconnect, kFetch}) {
    expect_found({.normal_s = 0.0007}, place);
    expect_found({.normal_s = 0.0015}, place);
    expect_found({.normal_s = 0.0007, .hit_probability = 0.02, .hit_s = 0.02}, place);
  }
}

TEST(Difference, NamesThePartThatChanged) {
  const Difference difference = compare(profile_of(quiet({0.100, 0.005, 0.030, 0, 0.010})),
                                        profile_of(quiet({0.100, 0.005, 0.036, 0, 0.010}), 2));
  EXPECT_TRUE(difference.step.real);
  EXPECT_NEAR(difference.step.change->s, 0.006, 0.001);
  for (const Part part : kParts) EXPECT_EQ(difference[part].real, part == Part::interconnect) << to_string(part);
  const Estimate& change = *difference[Part::interconnect].change;
  EXPECT_LT(change.low_s, 0.006);
  EXPECT_GT(change.high_s, 0.006);
}

TEST(Difference, PartsSumToTheStep) {
  const Difference difference =
      compare(profile_of({.noise = {.normal_s = 0.003, .hit_probability = 0.05, .hit_s = 0.02}}),
              profile_of({.noise = {.normal_s = 0.004}}, 2, 11));
  double sum_s = 0;
  for (const Change& part : difference.parts) sum_s += part.change ? part.change->s : 0;
  EXPECT_NEAR(sum_s, difference.step.change->s, 1e-12);
}

TEST(Difference, OfAProfileAndItselfIsNothing) {
  const Profile profile = profile_of({.noise = {.normal_s = 0.001}});
  const Difference difference = compare(profile, profile);
  EXPECT_DOUBLE_EQ(difference.step.change->s, 0);
  EXPECT_DOUBLE_EQ(*difference.step.p, 1);
  for (const Change& part : difference.parts) EXPECT_FALSE(part.real);
  EXPECT_TRUE(difference.jobs.empty());
  EXPECT_TRUE(difference.settings.empty());
  ASSERT_FALSE(difference.warnings.empty());
  EXPECT_CONTAINS(difference.warnings.front(), "one and the same");
}

TEST(Difference, WithoutAnyNoiseIsRealOrNothing) {
  const Profile before = profile_of({}), same = profile_of({}, 2);
  EXPECT_FALSE(compare(before, same).step.real);
  EXPECT_TRUE(compare(before, profile_of({.added_s = {0.101, 0.005, 0.030, 0, 0.010}, .noise = {}})).step.real);
}

TEST(Difference, AbsentPartsStayAbsentAndOneSidedOnesAreSaid) {
  const Profile before = profile_of({});
  const Profile after = profile_of({.chain = {Condition::solo, Condition::apart, Condition::node, Condition::hot},
                                    .added_s = {0.1, 0.005, 0.03, 0.01},
                                    .noise = {}});
  const Difference difference = compare(before, after);
  EXPECT_FALSE(difference[Part::network].change);
  EXPECT_EQ(difference[Part::network].why_absent, "the job runs on one node");
  EXPECT_FALSE(difference[Part::fetch].change);
  EXPECT_TRUE(difference[Part::fetch].before);
  EXPECT_CONTAINS(difference[Part::fetch].why_absent, "only before; after: ");
  EXPECT_CONTAINS(compare(after, before)[Part::fetch].why_absent, "only after; before: ");
}

TEST(Difference, EdgesThatDifferWidenTheInterval) {
  const Script script{.noise = {.normal_s = 0.0002}};
  Profile before = profile_of(script),
          after = profile_of({.added_s = {0.101, 0.005, 0.03, 0, 0.01}, .noise = script.noise}, 2);
  EXPECT_TRUE(compare(before, after).step.real);
  after.edge_s = 0.008;  // 2 ms of each of the four steps
  const Difference difference = compare(before, after);
  EXPECT_FALSE(difference.step.real);
  EXPECT_LT(difference.step.change->low_s, 0);
}

TEST(Difference, TooFewRoundsAreAnErrorAndFewAWarning) {
  const Profile usual = profile_of({});
  EXPECT_THROW(compare(usual, profile_of({}, 1, 1)), Error);
  const Difference difference = compare(profile_of({}, 1, 3), usual);
  ASSERT_FALSE(difference.warnings.empty());
  EXPECT_CONTAINS(difference.warnings.front(), "before has 3 rounds");
}

TEST(IncreasesOver, AreRealOnesWhoseIntervalReachesTheLimit) {
  const Profile before = profile_of(quiet({0.100, 0.005, 0.030, 0, 0.010}));
  const Profile slower = profile_of(quiet({0.100, 0.005, 0.036, 0, 0.010}), 2);  // by 4.1 %
  const std::vector<std::optional<Part>> expected{std::nullopt, Part::interconnect};
  EXPECT_EQ(increases_over(compare(before, slower), 0.03), expected);
  EXPECT_TRUE(increases_over(compare(before, slower), 0.06).empty());
  EXPECT_TRUE(increases_over(compare(slower, before), 0.03).empty());
  EXPECT_TRUE(increases_over(compare(before, before), 0).empty());
}

TEST(IncreasesOver, APartThatGrowsWhileTheStepShrinksIsNone) {
  const Profile before = profile_of(quiet({0.100, 0.005, 0.030, 0, 0.010}));
  const Difference faster = compare(before, profile_of(quiet({0.080, 0.005, 0.040, 0, 0.010}), 2));
  EXPECT_TRUE(faster[Part::interconnect].real);
  EXPECT_TRUE(increases_over(faster, 0.03).empty());
  const Difference moved = compare(before, profile_of(quiet({0.090, 0.005, 0.040, 0, 0.010}), 2));
  EXPECT_EQ(increases_over(moved, 0.03), std::vector<std::optional<Part>>{Part::interconnect});
}

}  // namespace stash
