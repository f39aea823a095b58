#include "stash/fleet/replay/replay_fleet.h"

#include <gtest/gtest.h>

#include <numeric>

#include "stash/core/error.h"
#include "stash/fleet/replay/function_pool.h"
#include "stash/serve/predict/simulate_serving.h"

namespace stash {
namespace {

// Does as it is told.
class ScriptedPolicy final : public FleetPolicy {
 public:
  using Script = std::function<FleetOrder(const FleetView&)>;
  explicit ScriptedPolicy(Script script, double period_s = 60) : script_(std::move(script)), period_s_(period_s) {}
  std::string_view name() const override { return "scripted"; }
  double period_s() const override { return period_s_; }
  FleetOrder decide(const FleetView& view) override { return script_(view); }

 private:
  Script script_;
  double period_s_;
};

ScriptedPolicy always(int machines, bool use_functions = false) {
  return ScriptedPolicy([=](const FleetView&) {
    return FleetOrder{.wanted = {{.machines = machines}}, .use_functions = use_functions, .reason = "always"};
  });
}

MachineType gpu_machine() {
  return {.name = "gpu",
          .usd_per_hour = 1,
          .start = {.machine = {100, 100}, .image = {}, .weights = {}, .warmup = {}},
          .times = BatchTimes({{1, 0.010}, {2, 0.012}, {8, 0.024}, {32, 0.080}})};
}

Market gpu_market() { return {.model = "test", .machines = {gpu_machine()}, .functions = {}}; }

LoadTrace steady(std::size_t minutes, std::uint32_t per_min) {
  return {.slot_s = 60, .requests = std::vector<std::uint32_t>(minutes, per_min)};
}

ReplayOptions options_for(const LoadTrace& trace) {
  return {.objective = {.latency_s = 0.1, .meet_ratio = 0.98}, .span = {0, trace.duration_s()}};
}

ReplayResult replayed(const Market& market, const LoadTrace& trace, ScriptedPolicy policy) {
  return replay_fleet(market, trace, policy, options_for(trace));
}

TEST(ReplayFleet, OneMachineServesAsStashServeDoes) {
  for (const double rate_per_s : {20.0, 100.0, 200.0, 280.0, 400.0}) {
    const LoadTrace trace = steady(20, static_cast<std::uint32_t>(60 * rate_per_s));
    const ReplayResult replay = replayed(gpu_market(), trace, always(1));
    const TensorSpec spec{.name = "x", .type = find_tensor_type("FP32"), .shape = {1}};
    const ServedModel model{
        .name = "test", .platform = "test", .input = spec, .output = spec, .times = gpu_machine().times};
    const PredictedServing serving =
        simulate_serving(model, {.objective_s = 0.1}, {.rate_per_s = rate_per_s, .duration_s = 1200, .beside_s = 0});
    const double answered = 1 - replay.totals.missed_ratio();
    SCOPED_TRACE(rate_per_s);
    EXPECT_NEAR(replay.totals.mean_s / serving.mean_s, 1, 0.04);
    EXPECT_NEAR(replay.totals.p99_s / serving.p99_s, 1, 0.05);
    EXPECT_NEAR(answered, serving.within_objective_ratio.value_or(0), 0.02);
  }
}

TEST(ReplayFleet, EveryRequestIsAccountedFor) {
  const LoadTrace trace = steady(120, 30'000);
  const ReplayResult replay = replayed(gpu_market(), trace, always(1));
  EXPECT_EQ(replay.totals.requests, 120U * 30'000);
  EXPECT_EQ(replay.totals.answered + replay.totals.refused + replay.totals.lost, replay.totals.requests);
  EXPECT_GT(replay.totals.refused_ratio(), 0.1);  // 500 per second is too much for one
  std::uint64_t requests = 0, missed = 0;
  double usd = 0;
  for (const ReplayPoint& point : replay.points) {
    requests += point.requests;
    missed += point.missed;
    usd += point.usd;
  }
  EXPECT_EQ(requests, replay.totals.requests);
  EXPECT_EQ(missed, replay.totals.missed());
  EXPECT_NEAR(usd, replay.totals.usd, 1e-9);
  EXPECT_NEAR(replay.totals.usd, 2, 1e-9);
  EXPECT_NEAR(replay.types[0].machine_hours, 2, 1e-9);
}

TEST(ReplayFleet, TwoMachinesShareWhatOneCannotTake) {
  const LoadTrace trace = steady(30, 24'000);
  EXPECT_GT(replayed(gpu_market(), trace, always(1)).totals.missed_ratio(), 0.05);
  EXPECT_LT(replayed(gpu_market(), trace, always(2)).totals.missed_ratio(), 0.002);
}

TEST(ReplayFleet, MachinesAreReadyAfterTheirStart) {
  // From minute 20 on a machine is there, and from minute 21:40 on it answers.
  const LoadTrace trace = steady(40, 600);
  const auto replay =
      replayed(gpu_market(), trace, ScriptedPolicy([](const FleetView& view) {
                 return FleetOrder{.wanted = {{.machines = view.now_s >= 1200 ? 1 : 0}}, .reason = "later"};
               }));
  EXPECT_NEAR(static_cast<double>(replay.totals.refused), 13'000, 30);
  EXPECT_NEAR(replay.types[0].machine_hours, 1.0 / 3, 1e-9);  // paid from the order on
  ASSERT_EQ(replay.decisions.size(), 2U);
  EXPECT_EQ(replay.decisions[1].at_s, 1200);
  EXPECT_EQ(replay.decisions[1].wanted, "1 gpu");
  EXPECT_EQ(replay.decisions[1].reason, "later");
}

TEST(ReplayFleet, AMachineIsPaidForAtLeastItsLeastTime) {
  Market market = gpu_market();
  market.machines[0].least_billed_s = 600;
  const auto replay = replayed(market, steady(60, 600), ScriptedPolicy([](const FleetView& view) {
                                 return FleetOrder{.wanted = {{.machines = view.now_s == 1800 ? 2 : 1}}, .reason = {}};
                               }));
  EXPECT_NEAR(replay.types[0].machine_hours, 1 + 600.0 / 3600, 1e-4);
}

TEST(ReplayFleet, AHoleCostsNothingAndNothingIsDecidedInIt) {
  LoadTrace trace = steady(120, 600);
  trace.holes.resize(120);
  for (std::size_t i = 30; i < 60; ++i) {
    trace.holes[i] = true;
    trace.requests[i] = 0;
  }
  std::vector<double> asked;
  std::size_t holes = 0;
  const auto replay =
      replayed(gpu_market(), trace, ScriptedPolicy([&](const FleetView& view) {
                 asked.push_back(view.now_s);
                 holes = static_cast<std::size_t>(std::ranges::count(view.minutes, true, &LoadMinute::hole));
                 return FleetOrder{.wanted = {{.machines = 1}}, .reason = {}};
               }));
  EXPECT_NEAR(replay.types[0].machine_hours, 1.5, 1e-9);
  EXPECT_EQ(asked.size(), 90U);
  EXPECT_EQ(holes, 30U);
}

TEST(ReplayFleet, APolicySeesThePastAndNoMore) {
  LoadTrace trace = steady(60, 600);
  for (std::size_t i = 0; i < 60; ++i) trace.requests[i] = static_cast<std::uint32_t>(100 + i);
  std::size_t decisions = 0;
  ScriptedPolicy policy([&](const FleetView& view) {
    ++decisions;
    const auto over = static_cast<std::size_t>(view.now_s / 60);
    EXPECT_EQ(view.minutes.size(), over);
    EXPECT_EQ(view.minutes.back().requests, 100 + static_cast<double>(over) - 1);
    EXPECT_GE(view.minutes.back().peak_5s, view.minutes.back().requests / 12);
    return FleetOrder{.wanted = {{.machines = 1}}, .reason = {}};
  });
  ReplayOptions options = options_for(trace);
  options.span.from_s = 1800;  // what was before is known
  const auto replay = replay_fleet(gpu_market(), trace, policy, options);
  EXPECT_EQ(decisions, 30U);
  EXPECT_EQ(replay.totals.requests, std::accumulate(trace.requests.begin() + 30, trace.requests.end(), 0U));
}

TEST(ReplayFleet, FunctionsTakeWhatMachinesCannot) {
  Market market = gpu_market();
  market.functions.push_back({.name = "function",
                              .usd_per_s = 1e-4,
                              .usd_per_request = 1e-6,
                              .work_s = 0.05,
                              .cold_start = {2, 2},
                              .source = {}});
  const LoadTrace trace = steady(30, 30'000);
  const auto replay = replayed(market, trace, always(1, true));
  EXPECT_EQ(replay.totals.refused, 0U);
  EXPECT_GT(replay.totals.by_functions, 50'000U);
  EXPECT_LT(replay.totals.missed_ratio(), 0.01);  // cold starts
  EXPECT_NEAR(
      replay.totals.functions_usd,
      static_cast<double>(replay.totals.by_functions) * 6e-6 + static_cast<double>(replay.totals.cold_calls) * 2e-4,
      1e-6);
  EXPECT_GT(replay.totals.cold_calls, 0U);
}

TEST(ReplayFleet, KilledMachinesLoseWhatTheyHold) {
  const LoadTrace trace = steady(60, 12'000);
  ScriptedPolicy policy = always(3);
  ReplayOptions options = options_for(trace);
  options.faults.kill_every_s = 301;
  const auto replay = replay_fleet(gpu_market(), trace, policy, options);
  EXPECT_EQ(replay.totals.killed, 11U);
  EXPECT_EQ(replay.totals.starts, 14U);  // ordered again at the next decision
  EXPECT_GT(replay.totals.lost, 0U);
  EXPECT_LT(replay.totals.lost, 11U * 40);
  EXPECT_EQ(replay.totals.answered + replay.totals.refused + replay.totals.lost, replay.totals.requests);
}

TEST(ReplayFleet, LateStartsAreMissed) {
  const LoadTrace trace = steady(60, 600);
  const auto run = [&](double ratio) {
    ScriptedPolicy policy([](const FleetView& view) {
      return FleetOrder{.wanted = {{.machines = view.now_s >= 1200 ? 1 : 0}}, .reason = {}};
    });
    ReplayOptions options = options_for(trace);
    options.faults.start_time_ratio = ratio;
    return static_cast<double>(replay_fleet(gpu_market(), trace, policy, options).totals.refused);
  };
  EXPECT_NEAR(run(3) - run(1), 10 * 200, 60);
}

TEST(ReplayFleet, SpotMachinesAreTakenAwayAndLoseNothing) {
  Market market = gpu_market();
  market.machines[0].spot_usd_per_hour = 0.25;
  market.machines[0].interruptions_per_hour = 6;
  const LoadTrace trace = steady(240, 6000);
  const auto replay = replayed(market, trace, ScriptedPolicy([](const FleetView&) {
                                 return FleetOrder{.wanted = {{.machines = 1, .spot = 1}}, .reason = {}};
                               }));
  EXPECT_GT(replay.totals.taken_away, 8U);
  EXPECT_EQ(replay.totals.lost, 0U);
  EXPECT_LT(replay.totals.missed_ratio(), 0.001);
  EXPECT_NEAR(replay.totals.spot_usd, 0.25 * replay.types[0].spot_hours, 1e-9);
  EXPECT_NEAR(replay.totals.usd, 4 + replay.totals.spot_usd, 1e-6);
}

TEST(ReplayFleet, AnOrderThatMakesNoSenseIsRefused) {
  const LoadTrace trace = steady(10, 60);
  EXPECT_THROW(replayed(gpu_market(), trace, always(1'000'000)), Error);
  EXPECT_THROW(replayed(gpu_market(), trace, ScriptedPolicy([](const FleetView&) { return FleetOrder{}; })), Error);
  Market slow = gpu_market();
  slow.machines[0].times = BatchTimes({{1, 0.5}});
  EXPECT_THROW(replayed(slow, trace, always(1)), UsageError);
}

TEST(ReplayFleet, ASeedGivesTheSameResultAgain) {
  const LoadTrace trace = steady(30, 20'000);
  const auto a = replayed(gpu_market(), trace, always(1)), b = replayed(gpu_market(), trace, always(1));
  EXPECT_EQ(a.totals.missed(), b.totals.missed());
  EXPECT_EQ(a.totals.mean_s, b.totals.mean_s);
}

TEST(FunctionPool, WarmInstancesAreUsedAgain) {
  const FunctionType type{
      .name = "f", .usd_per_s = 1, .work_s = 1, .cold_start = {5, 5}, .kept_warm_s = 60, .source = {}};
  FunctionPool pool(type, 1);
  EXPECT_EQ(pool.call(0, 1), 6);    // cold
  EXPECT_EQ(pool.call(3, 1), 6);    // the first is busy: cold too
  EXPECT_EQ(pool.call(10, 1), 1);   // warm
  EXPECT_EQ(pool.call(200, 1), 6);  // cold again
  EXPECT_EQ(pool.calls(), 4U);
  EXPECT_EQ(pool.cold_calls(), 3U);
  EXPECT_EQ(pool.usd(), 19);
}

}  // namespace
}  // namespace stash
