// The time is given, so that what is left can be said to the second.
#include "stash/cli/progress_text.h"

#include <gtest/gtest.h>

#include "attribute/scripted.h"
#include "stash/core/clock.h"

namespace stash {
namespace {

using testing_support::Script;
using testing_support::ScriptedProfile;

constexpr double kStart_s = 100;  // of the first round

Profile with_time(double max_time_s, int rounds = 0) {
  Profile profile;
  profile.job.max_time_s = max_time_s;
  profile.job.rounds = rounds;
  return profile;
}

void end_pilot(Collector& collector, double round_s) {
  collector.take(0, PilotEvent{.edge_s = 0, .round_s = round_s, .rounds_start_ns = nanoseconds(kStart_s)});
}

// Noisy rounds, so that precision is far away.
void add_rounds(Collector& collector, int rounds) {
  Script script;
  script.noise.normal_s = 0.05;
  ScriptedProfile scripted(script, 1);
  for (const Window& window : scripted.add_rounds(rounds).profile().windows) collector.take(0, WindowEvent{window});
}

std::string line_at(const Collector& collector, double s) { return ProgressText().line(collector, nanoseconds(s)); }

TEST(ProgressText, BeforeTheFirstRoundTheWholeTimeIsStillToCome) {
  Collector collector(with_time(60));
  collector.take(0, PhaseEvent{"warming up"});
  EXPECT_EQ(line_at(collector, 1), "warming up …, then at most 60.0 s");
  EXPECT_EQ(line_at(collector, 99), "warming up …, then at most 60.0 s") << "however long that took";
}

TEST(ProgressText, WhatIsLeftCountsFromTheFirstRound) {
  Collector collector(with_time(60));
  end_pilot(collector, 4);
  EXPECT_EQ(line_at(collector, kStart_s), "round 1: 0 windows, at most 60.0 s left");
  add_rounds(collector, 2);
  ProgressText text;
  EXPECT_TRUE(text.line(collector, nanoseconds(kStart_s + 10)).ends_with(", at most 50.0 s left"));
  EXPECT_TRUE(text.line(collector, nanoseconds(kStart_s + 12)).ends_with(", at most 48.0 s left")) << "within a round";
  EXPECT_TRUE(text.line(collector, nanoseconds(kStart_s + 59.5)).ends_with(", ends with this round"));
}

TEST(ProgressText, TwoRoundsAreMeasuredWhateverTheTimeIs) {
  Collector collector(with_time(1));
  end_pilot(collector, 30);
  EXPECT_EQ(line_at(collector, kStart_s), "round 1: 0 windows, at most 60.0 s left");
}

TEST(ProgressText, AskedForRoundsMayEndARunBeforeTheTime) {
  Collector collector(with_time(600, 3));
  end_pilot(collector, 10);
  add_rounds(collector, 2);
  EXPECT_TRUE(line_at(collector, kStart_s + 20).ends_with(", at most 10.0 s left"));
}

}  // namespace
}  // namespace stash
