// What happens in a window, and in which order.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "simulated_run.h"
#include "stash/attribute/schedule.h"

namespace stash {
namespace {

std::vector<Condition> visited(const std::vector<Window>& windows, int round) {
  std::vector<Condition> conditions;
  for (const Window& window : windows) {
    if (window.round == round) conditions.push_back(window.condition);
  }
  return conditions;
}

TEST(RulerWindows, ARoundVisitsTheConditionsInTheSeedsOrder) {
  Job job;
  job.seed = 7;
  const SimulatedRun run = simulate({}, job);
  ASSERT_EQ(run.profile.windows.back().round, 4);
  for (int round = 0; round < 5; ++round) {
    EXPECT_EQ(visited(run.profile.windows, round), round_order(kWholeChain, 7, round));
  }
}

TEST(RulerWindows, EachWindowIsEnteredLedInMetTimedAndLeft) {
  const Job job;
  const SimulatedRun run = simulate({}, job);
  std::vector<std::string> expected;
  for (const Window& window : run.profile.windows) {
    const int lead_in = lead_in_steps(job, window.condition);
    for (const std::string& call :
         {std::string("prepare"), fmt::format("enter {} {}", to_string(window.condition), window.steps + lead_in),
          std::string("go"), fmt::format("run {}", lead_in), std::string("start"), std::string("barrier"),
          fmt::format("run {}", window.steps), std::string("stop"), std::string("leave")}) {
      expected.push_back(call);
    }
  }
  EXPECT_EQ(run.ranks[0].calls, expected);
}

TEST(RulerWindows, WithoutNoiseEveryWindowShowsItsStep) {
  const Script script;
  for (const Window& window : simulate(script, {}).profile.windows) {
    const double step_s = script.step_s(window.condition);
    EXPECT_NEAR(window.ranks[0]->wall_s / window.steps, step_s, script.exchange_s) << to_string(window.condition);
  }
}

TEST(RulerWindows, CountWhatHappenedInsideThemAlone) {
  const Script script;
  for (const Window& window : simulate(script, {}).profile.windows) {
    const double busy_s = script.step_s(Condition::staged);
    const double waits_s = uses_input(window.condition) ? script.step_s(window.condition) - busy_s : 0;
    const double moves_s = (window.condition >= Condition::node ? script[Part::interconnect] : 0) +
                           (window.condition >= Condition::joined ? script[Part::network] : 0);
    EXPECT_NEAR(window.ranks[0]->input_wait_s / window.steps, waits_s, script.exchange_s);
    EXPECT_NEAR(window.ranks[0]->collective_s / window.steps, moves_s, 1e-9);
  }
}

TEST(RulerWindows, TheQueuesDepthIsKeptWhereThereIsAQueue) {
  Script quick_input;
  quick_input.part_s[5] = quick_input.part_s[6] = -0.05;  // a batch is made in less than a step
  const Job job;
  for (const Window& window : simulate(quick_input, job).profile.windows) {
    EXPECT_EQ(window.queued_start_samples.has_value(), uses_input(window.condition));
    if (!uses_input(window.condition)) continue;
    EXPECT_EQ(window.queued_start_samples, job.batch * job.prefetch) << "the lead-in fills the queue";
    EXPECT_EQ(window.queued_end_samples, job.batch * job.prefetch);
  }
}

TEST(RulerWindows, TheSecondRoundIsTraced) {
  const Script script;
  const SimulatedRun run = simulate(script, {});
  ASSERT_EQ(run.profile.traces.size(), kWholeChain.size());
  for (const WindowTrace& trace : run.profile.traces) {
    EXPECT_EQ(trace.round, 1);
    const auto window = std::ranges::find_if(
        run.profile.windows, [&](const Window& w) { return w.round == trace.round && w.condition == trace.condition; });
    ASSERT_EQ(trace.ranks.size(), 1U);
    const std::vector<Span>& steps = trace.ranks[0].host;
    ASSERT_EQ(steps.size(), static_cast<std::size_t>(window->steps));
    EXPECT_EQ(steps[0].start_us, 0);
    EXPECT_NEAR(static_cast<double>(steps.back().start_us + steps.back().length_us), window->ranks[0]->wall_s * 1e6, 2);
  }
}

}  // namespace
}  // namespace stash
