// How long windows become.
#include <gtest/gtest.h>

#include <algorithm>

#include "simulated_run.h"
#include "stash/attribute/schedule.h"

namespace stash {
namespace {

std::vector<std::string> runs_of(const std::vector<std::string>& calls) {
  std::vector<std::string> runs;
  std::ranges::copy_if(calls, std::back_inserter(runs), [](const auto& call) { return call.starts_with("run"); });
  return runs;
}

bool entered(const std::vector<std::string>& calls, const std::string& condition) {
  return std::ranges::any_of(calls, [&](const auto& call) { return call.starts_with("enter " + condition + ' '); });
}

Script with_step_s(double compute_s) {
  Script script;
  script.part_s = {compute_s, 0, 0, 0, 0, 0, 0};
  return script;
}

TEST(RulerPilot, AnEdgeIsAMeetingAndTheWayOfTheNewsThatTheDeviceIsIdle) {
  Script script;
  script.exchange_s = 0.0003;
  script.stop_s = 0.0005;
  EXPECT_NEAR(simulate(script, {}).ranks[0].edge_s, 0.0008, 1e-9);
}

TEST(RulerPilot, WindowsAreLongEnoughForTheirEdges) {
  Script script = with_step_s(0.01);
  script.stop_s = 0.004;
  for (const Window& window : simulate(script, {}).profile.windows) {
    // The pilot's steps have their share of an edge as well.
    EXPECT_GE(window.steps * 0.01, 0.97 * 200 * (script.stop_s + script.exchange_s));
  }
}

TEST(RulerPilot, ShortStepsGetASecondLook) {
  const SimulatedRun run = simulate(with_step_s(0.02), {}, {Condition::solo});
  const std::vector<std::string> expected{"run 1", "run 2", "run 1", "run 15"};
  EXPECT_EQ(runs_of(run.ranks[0].pilot_calls), expected);
  EXPECT_EQ(run.profile.windows[0].steps, 10);
}

TEST(RulerPilot, LongStepsAreTimedOnce) {
  const SimulatedRun run = simulate(with_step_s(0.25), {});
  EXPECT_TRUE(entered(run.ranks[0].pilot_calls, "solo"));
  EXPECT_FALSE(entered(run.ranks[0].pilot_calls, "joined")) << "its windows are a step anyway";
  const std::vector<std::string> expected{"run 1", "run 2", "run 1", "run 1"};  // solo, first steps of hot and cold
  EXPECT_EQ(runs_of(run.ranks[0].pilot_calls), expected);
  for (const Window& window : run.profile.windows) {
    EXPECT_EQ(window.steps, fewest_window_steps({}, window.condition));
  }
}

TEST(RulerPilot, TellsWhatARoundTakes) {
  const SimulatedRank rank = simulate({}, {}).ranks[0];
  EXPECT_NEAR(rank.round_s, (rank.elapsed_s - rank.pilot_s) / 5, 0.2 * rank.round_s);
}

TEST(RulerPilot, TheSlowestRankCounts) {
  Script script = with_step_s(0.02);
  script.ranks = 3;
  script.late_s[2] = 0.03;
  for (const Window& window : simulate(script, {}, {Condition::apart, Condition::node}).profile.windows) {
    EXPECT_EQ(window.steps, 4);  // of 50 ms
  }
}

}  // namespace
}  // namespace stash
