#include "stash/attribute/attribute.h"

#include <gtest/gtest.h>

#include <cmath>

#include "../core/contains.h"
#include "scripted.h"
#include "stash/core/error.h"
#include "stash/core/statistics.h"
#include "support/message_of.h"

namespace stash {

namespace {

using enum Condition;
using testing_support::Script;
using testing_support::ScriptedProfile;

Job job_on(int ranks, std::string device, std::vector<Condition> asked = {}) {
  Job job;
  job.ranks = ranks;
  job.device = std::move(device);
  job.conditions = std::move(asked);
  return job;
}

using Chain = std::vector<Condition>;

}  // namespace

TEST(PresentConditions, FollowRanksNodesAndDevice) {
  EXPECT_EQ(present_conditions(job_on(1, "cpu")), (Chain{solo, hot, cold}));
  EXPECT_EQ(present_conditions(job_on(2, "cpu")), (Chain{solo, apart, node, hot, cold}));
  EXPECT_EQ(present_conditions(job_on(8, "emulated:v100")), (Chain{solo, apart, node, hot, cold}));
  EXPECT_EQ(present_conditions(job_on(8, "cuda")), (Chain{solo, apart, node, staged, hot, cold}));
  EXPECT_EQ(present_conditions(job_on(1, "cuda:0")), (Chain{solo, staged, hot, cold}));
  EXPECT_EQ(present_conditions(job_on(16, "cuda"), 2), (Chain{solo, apart, node, joined, staged, hot, cold}));
  EXPECT_EQ(present_conditions(job_on(2, "cuda"), 2), (Chain{solo, joined, staged, hot, cold}));
}

TEST(PresentConditions, AreRestrictedToThoseAskedFor) {
  EXPECT_EQ(present_conditions(job_on(2, "cpu", {cold, solo, joined})), (Chain{solo, cold}));
}

TEST(Attribute, PartsSumToTheStepToTheLastBit) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    Script script;
    script.noise = {.normal_s = 0.004, .drift_s = 0.0001};
    const Ledger ledger = attribute(ScriptedProfile(script, seed).add_rounds(7).profile());
    double sum_s = 0;
    for (const auto& part : ledger.parts) sum_s += part ? part->s : 0;
    EXPECT_EQ(sum_s, ledger.step.s);
    EXPECT_EQ(ledger.step, ledger.step_by_condition.at(cold));
  }
}

TEST(Attribute, WithoutNoisePartsAreWhatWasPutIn) {
  const Script script;
  const Ledger ledger = attribute(ScriptedProfile(script, 1).add_rounds(5).profile());
  for (std::size_t place = 0; place < script.chain.size(); ++place) {
    EXPECT_NEAR(ledger[part_added_by(script.chain[place])]->s, script.added_s[place], 1e-12);
  }
  EXPECT_FALSE(ledger[Part::network]);
  EXPECT_FALSE(ledger[Part::copy]);
  EXPECT_EQ(ledger.rounds, 5);
}

TEST(Attribute, NegativeDifferencesAreKept) {
  Script script;
  script.added_s = {0.1, -0.01, 0.02, 0.0, 0.0};
  const Ledger ledger = attribute(ScriptedProfile(script, 1).add_rounds(5).profile());
  EXPECT_NEAR(ledger[Part::contention]->s, -0.01, 1e-12);
}

TEST(Attribute, IntervalIsStudentsT) {
  Profile profile;
  profile.job.ranks = 1;
  for (int round = 0; round < 3; ++round) {
    profile.windows.push_back({round, solo, 10, {RankSample{1.0 + round, 0, 0}}, {}, {}, {}});
  }
  const Estimate compute = *attribute(profile)[Part::compute];
  EXPECT_NEAR(compute.s, 0.2, 1e-12);
  EXPECT_NEAR(compute.high_s - compute.s, student_t_quantile_975(2) * 0.1 / std::sqrt(3.0), 1e-12);
}

TEST(Attribute, EdgesWidenATimeOnceAndADifferenceInQuadrature) {
  ScriptedProfile scripted(Script{}, 1);
  scripted.add_rounds(5).profile().edge_s = 0.002;
  const Ledger ledger = attribute(scripted.profile());
  EXPECT_NEAR(ledger.step.high_s - ledger.step.s, 0.0005, 1e-9);
  EXPECT_NEAR(ledger[Part::compute]->s - ledger[Part::compute]->low_s, 0.0005, 1e-9);
  EXPECT_NEAR(ledger[Part::fetch]->high_s - ledger[Part::fetch]->s, std::hypot(0.0005, 0.0005), 1e-9);
}

TEST(Attribute, TheSlowestRankIsTheStep) {
  Profile profile;
  for (int round = 0; round < 2; ++round) {
    profile.windows.push_back({round, apart, 2, {RankSample{0.2, 0, 0}, RankSample{0.3, 0, 0}}, {}, {}, {}});
  }
  EXPECT_NEAR(attribute(profile).step.s, 0.15, 1e-12);
}

TEST(Attribute, IncompleteRoundsDoNotCount) {
  ScriptedProfile scripted(Script{}, 1);
  scripted.add_rounds(6).profile().windows.pop_back();
  EXPECT_EQ(attribute(scripted.profile()).rounds, 5);
  EXPECT_EQ(count_complete_rounds(scripted.profile()), 5);
}

TEST(Attribute, FewerThanTwoRoundsAreAnError) {
  for (const int rounds : {0, 1}) {
    const Profile profile = ScriptedProfile(Script{}, 1).add_rounds(rounds).profile();
    EXPECT_CONTAINS(message_of([&] { attribute(profile); }), "at least 2 are needed");
  }
}

TEST(Attribute, TimesThatOverflowAreAnError) {
  Profile profile;
  for (int round = 0; round < 3; ++round) {
    profile.windows.push_back({round, solo, 1, {RankSample{1e308, 0, 0}}, {}, {}, {}});
  }
  EXPECT_THROW(attribute(profile), Error);
}

TEST(Attribute, ChainWithoutSoloHasNoCompute) {
  Script script;
  script.chain = {node, hot, cold};
  script.added_s = {0.1, 0.02, 0.03};
  const Ledger ledger = attribute(ScriptedProfile(script, 1).add_rounds(5).profile());
  EXPECT_FALSE(ledger[Part::compute]);
  EXPECT_FALSE(ledger[Part::interconnect]);
  EXPECT_NEAR(ledger[Part::prep]->s, 0.02, 1e-12);
  EXPECT_NEAR(ledger.step.s, 0.15, 1e-12);
  EXPECT_NEAR(ledger.step_by_condition.at(node).s, 0.1, 1e-12);
}

TEST(Attribute, PublishedRatiosAreThoseOfTheStudy) {
  const Ledger ledger = attribute(ScriptedProfile(Script{}, 1).add_rounds(5).profile());
  EXPECT_NEAR(*ledger.published.interconnect_ratio, 35.0 / 135, 1e-9);
  EXPECT_FALSE(ledger.published.network_ratio);
  EXPECT_NEAR(*ledger.published.prep_ratio, 0, 1e-9);
  EXPECT_NEAR(*ledger.published.fetch_ratio, 10.0 / 145, 1e-9);
}

TEST(Attribute, PublishedRatiosOfOneRankCompareWithSolo) {
  Script script;
  script.ranks = 1;
  script.chain = {solo, hot, cold};
  script.added_s = {0.1, 0.1, 0.05};
  const Ledger ledger = attribute(ScriptedProfile(script, 1).add_rounds(5).profile());
  EXPECT_FALSE(ledger.published.interconnect_ratio);
  EXPECT_NEAR(*ledger.published.prep_ratio, 0.5, 1e-9);
}

TEST(Attribute, PublishedRatiosOfSeveralNodes) {
  Profile profile;
  profile.job.ranks = 4;
  const RankSample fast{0.1, 0, 0}, slow{0.12, 0, 0}, slowest{0.18, 0, 0};
  for (int round = 0; round < 2; ++round) {
    profile.windows.push_back({round, solo, 1, {fast, std::nullopt, fast, std::nullopt}, {}, {}, {}});
    profile.windows.push_back({round, apart, 1, {fast, fast, fast, fast}, {}, {}, {}});
    profile.windows.push_back({round, node, 1, {slow, slow, slow, slow}, {}, {}, {}});
    profile.windows.push_back({round, joined, 1, {slowest, slowest, slowest, slowest}, {}, {}, {}});
  }
  EXPECT_NEAR(*attribute(profile).published.network_ratio, 0.5, 1e-9);
  EXPECT_NEAR(attribute(profile)[Part::network]->s, 0.06, 1e-9);
}

TEST(WithoutDisturbed, FiveRoundsAreNeverThinned) {
  ScriptedProfile scripted(Script{}, 1);
  scripted.add_rounds(5).profile().windows[7].ranks[0]->wall_s += 10;
  EXPECT_EQ(attribute(scripted.profile()).rounds, 5);
  scripted.add_round();
  EXPECT_EQ(attribute(scripted.profile()).rounds, 5);
  EXPECT_EQ(attribute(scripted.profile()).rounds_left_out, 1);
}

TEST(WithoutDisturbed, AHitCostsOnlyThePartsBesideItTheirRound) {
  ScriptedProfile scripted(Script{}, 1);
  scripted.add_rounds(12);
  const Ledger quiet = attribute(scripted.profile());
  // Another window in each of three rounds: every part is hit in fewer than a quarter of them.
  for (Window& window : scripted.profile().windows) {
    const bool hit = (window.round == 2 && window.condition == cold) ||
                     (window.round == 5 && window.condition == solo) || (window.round == 8 && window.condition == node);
    if (hit) window.ranks[0]->wall_s += 10;
  }
  const Ledger ledger = attribute(scripted.profile());
  for (const Part part : kParts) {
    if (!quiet[part]) continue;
    EXPECT_NEAR(ledger[part]->s, quiet[part]->s, 0.01 * quiet.step.s) << to_string(part);
  }
  EXPECT_EQ(ledger.rounds_left_out, 1);
}

TEST(WithoutDisturbed, WhatHappensOftenBelongsToTheJob) {
  ScriptedProfile scripted(Script{}, 1);
  scripted.add_rounds(12);
  for (Window& window : scripted.profile().windows) {
    if (window.round % 3 == 0 && window.condition == cold) window.ranks[0]->wall_s += 10;
  }
  EXPECT_LE(attribute(scripted.profile()).rounds_left_out, 3);
}

}  // namespace stash
