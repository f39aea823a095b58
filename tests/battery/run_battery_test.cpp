#include "stash/battery/run_battery.h"

#include <gtest/gtest.h>

#include "battery_fixture.h"
#include "stash/core/error.h"
#include "support/temporary_folder.h"

namespace stash {
namespace {

using testing_support::profile_of;
using testing_support::sample_case;

// A battery of four cases whose runner takes scripted time on a clock of its own.
struct RunBattery : testing::Test {
  RunBattery() { folder.make(); }

  BatteryRun run(const Caps& caps = {}, bool retry = false) {
    BatteryLog log(folder.path(), [this] { return 1e6 + now_s; });
    const Budget budget(caps, log.spent_before_s(), [this] { return now_s; });
    started.clear();
    return run_battery(cases, folder, log, budget,
                       {.run = [this](const Case& one, std::optional<double> limit_s) { return act(one, limit_s); },
                        .interrupted = [this] { return interrupted; },
                        .on_progress = [this](const BatteryProgress& progress) { last = progress; }},
                       retry);
  }

  CaseOutcome act(const Case& one, std::optional<double> limit_s) {
    started.push_back(one.job.model);
    asked_s = one.job.max_time_s;
    if (one.job.model == interrupt_in) return {.profile = {}, .fault = {}, .interrupted = true};
    if (one.job.model == fails) throw Error("it is broken");
    if (limit_s && case_s > *limit_s) {
      now_s += *limit_s;
      return {.profile = {}, .fault = {}, .interrupted = false, .out_of_time = true};
    }
    now_s += case_s;
    Profile profile = profile_of(one);
    profile.elapsed_s = case_s;
    return {.profile = std::move(profile), .fault = {}};
  }

  TemporaryFolder temporary;
  BatteryFolder folder{temporary.path() / "vm"};
  std::vector<Case> cases{sample_case("alexnet"), sample_case("resnet18"), sample_case("resnet50"),
                          sample_case("vgg11")};
  double now_s = 0;
  double case_s = 10;
  double asked_s = 0;
  bool interrupted = false;
  std::string interrupt_in, fails;
  std::vector<std::string> started;
  BatteryProgress last;
};

using Names = std::vector<std::string>;

TEST_F(RunBattery, AllCasesRunOnceInOrderAndNeverAgain) {
  EXPECT_EQ(run().finished, 4);
  EXPECT_EQ(started, (Names{"alexnet", "resnet18", "resnet50", "vgg11"}));
  EXPECT_EQ(run().finished, 0);
  EXPECT_TRUE(started.empty());
}

TEST_F(RunBattery, AnInterruptionLeavesTheRestAndTheNextCallGoesOn) {
  interrupt_in = "resnet50";
  const BatteryRun first = run();
  EXPECT_TRUE(first.interrupted);
  EXPECT_EQ(first.finished, 2);
  EXPECT_EQ(first.left, (Names{cases[2].name, cases[3].name}));
  interrupt_in = "";
  EXPECT_EQ(run().finished, 2);
  EXPECT_EQ(started, (Names{"resnet50", "vgg11"}));
}

TEST_F(RunBattery, AFailureIsOneRowAndIsTriedAgainOnlyWhenAsked) {
  fails = "resnet18";
  const BatteryRun result = run();
  EXPECT_EQ(result.finished, 3);
  EXPECT_EQ(result.failed, 1);
  EXPECT_EQ(folder.failure(cases[1]), "it is broken");
  run();
  EXPECT_TRUE(started.empty());
  fails = "";
  EXPECT_EQ(run({}, true).finished, 1);
  EXPECT_FALSE(folder.failure(cases[1]));
}

TEST_F(RunBattery, ACaseThatCannotRunIsNotBegun) {
  cases[0].why_not = "too large";
  run();
  EXPECT_EQ(started.size(), 3u);
}

TEST_F(RunBattery, TheTimeCapHoldsAndWhatDoesNotFitIsLeft) {
  const BatteryRun result = run({.max_time_s = 25, .max_usd = {}, .usd_per_h = {}});
  EXPECT_EQ(result.finished, 2);
  EXPECT_EQ(result.left.size(), 2u);
  EXPECT_EQ(result.cap, "--max-time");
  EXPECT_FALSE(result.interrupted);
  EXPECT_LE(now_s, 25);
}

TEST_F(RunBattery, ACaseThatOutlastsTheCapIsEndedAndLeft) {
  case_s = 100;  // though it was expected to take 10
  const BatteryRun result = run({.max_time_s = 30, .max_usd = {}, .usd_per_h = {}});
  EXPECT_EQ(result.finished, 0);
  EXPECT_EQ(result.left.size(), 4u);
  EXPECT_DOUBLE_EQ(now_s, 30);
  EXPECT_FALSE(folder.finished(cases[0]));
}

TEST_F(RunBattery, ACaseIsAskedForNoMoreThanWhatIsLeft) {
  case_s = 2;
  cases = {sample_case("alexnet", 32), sample_case("alexnet", 64)};
  run({.max_time_s = 11, .max_usd = {}, .usd_per_h = {}});
  EXPECT_EQ(started.size(), 2u);
  EXPECT_DOUBLE_EQ(asked_s, 9);
}

TEST_F(RunBattery, TheMoneyCapHoldsOverSeveralCalls) {
  const Caps caps{.max_time_s = {}, .max_usd = 1, .usd_per_h = 3600.0 / 25};  // 25 s for a dollar
  EXPECT_EQ(run(caps).finished, 2);
  now_s += 1000;
  const BatteryRun second = run(caps);
  EXPECT_EQ(second.finished, 0);
  EXPECT_EQ(second.cap, "--max-cost");
}

TEST_F(RunBattery, ACaseThatEndedTooEarlyIsAFailure) {
  const auto early = [this](const Case& one, std::optional<double>) {
    Profile profile = profile_of(one);
    profile.windows.resize(3);
    return CaseOutcome{.profile = profile, .fault = {}};
  };
  BatteryLog log(folder.path());
  const Budget budget({}, 0, [] { return 0.0; });
  EXPECT_EQ(run_battery(cases, folder, log, budget, {early, [] { return false; }, [](const BatteryProgress&) {}}, false)
                .failed,
            4);
}

TEST_F(RunBattery, ProgressCountsWhatIsDoneAndExpectsTheRest) {
  run();
  EXPECT_EQ(last.done, 3);
  EXPECT_EQ(last.cases, 4);
  EXPECT_EQ(last.name, cases[3].name);
  EXPECT_DOUBLE_EQ(last.left_s, 10);
}

}  // namespace
}  // namespace stash
