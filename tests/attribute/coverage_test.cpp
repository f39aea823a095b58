#include "stash/attribute/coverage.h"

#include <gtest/gtest.h>

#include "../core/contains.h"
#include "scripted.h"
#include "stash/attribute/attribute.h"

namespace stash {

namespace {

using testing_support::Script;
using testing_support::ScriptedProfile;

std::string warnings_of(const Profile& profile) {
  std::string text;
  for (const std::string& warning : ledger_warnings(profile, attribute(profile))) text += warning + "\n";
  return text;
}

}  // namespace

TEST(Coverage, TheWholeChainExplainsTheWholeStep) {
  ScriptedProfile scripted(Script{}, 1);
  EXPECT_DOUBLE_EQ(*explained_ratio(attribute(scripted.add_rounds(5).profile())), 1);
  EXPECT_EQ(warnings_of(scripted.profile()), "");
}

TEST(Coverage, AStepOfNothingHasNoShare) { EXPECT_FALSE(explained_ratio(Ledger{})); }

TEST(Coverage, AbsentPartsSayWhy) {
  ScriptedProfile scripted(Script{}, 1);
  Profile& profile = scripted.add_rounds(2).profile();
  EXPECT_EQ(why_absent(Part::network, profile), "the job runs on one node");
  EXPECT_EQ(why_absent(Part::copy, profile), "the CPU needs no copies");
  profile.job.conditions = {Condition::solo, Condition::apart, Condition::node, Condition::hot};
  EXPECT_EQ(why_absent(Part::fetch, profile), "--conditions left out cold");
  profile.job.ranks = 1;
  EXPECT_EQ(why_absent(Part::contention, profile), "one rank shares nothing");
  EXPECT_EQ(why_absent(Part::interconnect, profile), "one rank does not communicate");
}

TEST(Coverage, ChainWithoutSoloIsExplainedInPart) {
  Script script;
  script.chain = {Condition::node, Condition::hot};
  script.added_s = {0.1, 0.1};
  ScriptedProfile scripted(script, 1);
  Profile& profile = scripted.add_rounds(5).profile();
  profile.job.conditions = script.chain;
  EXPECT_NEAR(*explained_ratio(attribute(profile)), 0.5, 1e-9);
  EXPECT_CONTAINS(warnings_of(profile), "the chain begins with node instead of solo: its 100.00 ms");
  EXPECT_CONTAINS(why_absent(Part::interconnect, profile), "node is the first condition measured");
}

TEST(Coverage, PartThatTookOverOthersIsNamed) {
  Script script;
  script.chain = {Condition::solo, Condition::hot, Condition::cold};
  script.added_s = {0.1, 0.1, 0.1};
  ScriptedProfile scripted(script, 1);
  Profile& profile = scripted.add_rounds(5).profile();
  profile.job.conditions = script.chain;
  EXPECT_EQ(warnings_of(profile), "prep includes contention, interconnect, because --conditions left those out\n");
}

TEST(Coverage, MissedPrecisionFewRoundsAndRoundsLeftOutAreWarnedOf) {
  Script script;
  script.noise.normal_s = 0.01;
  EXPECT_CONTAINS(warnings_of(ScriptedProfile(script, 1).add_rounds(3).profile()), "only 3 rounds were measured");
  EXPECT_CONTAINS(warnings_of(ScriptedProfile(script, 1).add_rounds(3).profile()), "precision target missed: ");
  ScriptedProfile quiet(Script{}, 1);
  quiet.add_rounds(6).profile().windows[2].ranks[0]->wall_s += 10;
  EXPECT_CONTAINS(warnings_of(quiet.profile()), "1 of 6 rounds were left out of a part");
}

TEST(Coverage, SkippedSamplesAreCountedAndOneIsNamed) {
  ScriptedProfile scripted(Script{}, 1);
  Profile& profile = scripted.add_rounds(5).profile();
  profile.inputs = {{.rank = 0, .skipped = 2, .skipped_files = {}},
                    {.rank = 1, .skipped = 3, .skipped_files = {"a/b.jpg"}}};
  EXPECT_CONTAINS(warnings_of(profile), "5 samples");
  EXPECT_CONTAINS(warnings_of(profile), "a/b.jpg");
}

TEST(Coverage, ColdPagesThatWereCachedAreWarnedOf) {
  ScriptedProfile scripted(Script{}, 1);
  Profile& profile = scripted.add_rounds(5).profile();
  for (Window& window : profile.windows) {
    if (window.condition == Condition::cold) window.resident_ratio = 0.05;
  }
  EXPECT_EQ(warnings_of(profile), "");
  for (Window& window : profile.windows) {
    if (window.condition == Condition::cold) window.resident_ratio = 0.8;
  }
  EXPECT_CONTAINS(warnings_of(profile), "80 % of the pages");
}

TEST(Coverage, TimeThatTheHypervisorTookIsWarnedOf) {
  ScriptedProfile scripted(Script{}, 1);
  Profile& profile = scripted.add_rounds(5).profile();
  profile.stolen_ratio = 0.004;
  EXPECT_EQ(warnings_of(profile), "");
  profile.stolen_ratio = 0.12;
  EXPECT_CONTAINS(warnings_of(profile), "12 % of this machine's CPU time");
}

}  // namespace stash
