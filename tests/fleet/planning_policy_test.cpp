#include "stash/fleet/policy/planning_policy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "fleet/small_market.h"
#include "stash/fleet/plan/fleet_plan.h"
#include "stash/fleet/policy/fleet_offers.h"
#include "stash/fleet/policy/fluid_replay.h"
#include "stash/fleet/policy/make_fleet_policy.h"
#include "stash/fleet/traffic/load_minutes.h"

namespace stash {
namespace {

LoadTrace bursty_trace(int days) {
  LoadTrace trace{.slot_s = 60, .requests = {}, .holes = {}};
  for (int i = 0; i < days * 1440; ++i) trace.requests.push_back(i % 60 >= 5 && i % 60 < 15 ? 120'000U : 30'000U);
  return trace;
}

FluidReplay replayed(std::string_view name, const Market& market, const LoadTrace& trace, std::size_t first) {
  const FleetPolicyOptions options{.objective = {}, .future = &trace};
  const auto policy = make_fleet_policy(name, market, options);
  return fluid_replay(*policy, market, rated_types(market, options.objective), minutes_of(trace), first);
}

TEST(PlanningPolicy, IsNearTheOracleAndCheaperThanASingleTypeWithinTheObjective) {
  const Market market = small_market();
  const LoadTrace trace = bursty_trace(2);
  const FluidReplay ours = replayed("stash", market, trace, 1440);
  const FluidReplay oracle = replayed("oracle", market, trace, 1440);
  const FluidReplay single = replayed("best-single", market, trace, 1440);
  EXPECT_LE(ours.missed_ratio(), 0.02);
  EXPECT_LE(oracle.missed_ratio(), 0.02);
  EXPECT_LE(ours.usd, 1.15 * oracle.usd);
  EXPECT_LT(1.3 * ours.usd, single.usd);
}

TEST(PlanningPolicy, ALoadThatEndsBeforeAMachineCouldComeHasOneAllTheSame) {
  const Market market = small_market();
  const LoadTrace trace{.slot_s = 60, .requests = {300}, .holes = {}};
  const std::vector<LoadMinute> before(1, {.requests = 300});
  const std::vector<TypeCount> none(2);
  for (const std::string_view name : {"stash", "oracle"}) {
    const auto policy = make_fleet_policy(name, market, {.objective = {}, .future = &trace});
    const FleetOrder order = policy->decide({60, before, none});
    int all = 0;
    for (const WantedType& one : order.wanted) all += one.machines + one.spot;
    EXPECT_GE(all, 1) << name;
  }
}

TEST(PlanningPolicy, AMinuteThatWasNotRecordedStopsNothing) {
  const Market market = small_market();
  const auto policy = make_fleet_policy("stash", market, {});
  std::vector<LoadMinute> minutes(100, {.requests = 200'000});
  minutes.push_back({.hole = true});
  std::vector<TypeCount> machines(2);
  machines[0].ready = 9;
  machines[1].spot_ready = 2;
  const FleetOrder order = policy->decide({6060, minutes, machines});
  EXPECT_EQ(order.wanted[0].machines, 9);
  EXPECT_EQ(order.wanted[1].spot, 2);
}

TEST(PlanningPolicy, WithoutFunctionsAHardlyUsedMachineStays) {
  Market market = small_market();
  market.machines.pop_back();
  market.functions.clear();
  LoadTrace trace{.slot_s = 60, .requests = std::vector<std::uint32_t>(2000, 30), .holes = {}};
  const FluidReplay found = replayed("stash", market, trace, 1000);
  EXPECT_LT(found.missed_ratio(), 0.001);
  EXPECT_NEAR(found.usd, 1000.0 / 60 * 0.9, 0.1);
}

TEST(PlanningPolicy, SaysWhyAndWhatItExpects) {
  const Market market = small_market();
  const auto policy = make_fleet_policy("stash", market, {});
  const std::vector<LoadMinute> minutes(100, {.requests = 200'000});
  const FleetOrder order = policy->decide({6000, minutes, std::vector<TypeCount>(2)});
  EXPECT_NE(order.reason.find("start "), std::string::npos) << order.reason;
  EXPECT_NE(order.reason.find("200000 requests in the last minute"), std::string::npos) << order.reason;
  ASSERT_TRUE(order.forecast);
  EXPECT_NEAR(order.forecast->p50, 200'000, 20'000);
}

TEST(FleetOffers, WhatOthersDoForNoMoreIsLeftOut) {
  Market market = small_market();
  market.machines.push_back(market.machines[1]);  // four times the price for twice the work
  market.machines[2].name = "large";
  market.machines[2].usd_per_hour = 0.2;
  market.machines[2].devices = 2;
  const auto offers = fleet_offers(market, rated_types(market, {}), 1);
  ASSERT_EQ(offers.size(), 2U);
  for (const FleetOffer& one : offers) EXPECT_NE(one.type, 2U);
}

TEST(FleetOffers, SpotMachinesStandBesideThoseOnDemand) {
  Market market = small_market();
  market.machines[0].spot_usd_per_hour = 0.3;
  market.machines[0].interruptions_per_hour = 0.1;
  const auto offers = fleet_offers(market, rated_types(market, {}), 1);
  EXPECT_EQ(std::ranges::count(offers, true, &FleetOffer::is_spot), 1);
}

// With a spot price, and nothing that starts within a minute.
FluidReplay replayed_with_spot(bool is_quick) {
  Market market = small_market();
  market.functions.clear();
  market.machines[0].spot_usd_per_hour = 0.3;
  market.machines[0].interruptions_per_hour = 0.05;
  if (is_quick) {
    market.machines.push_back(market.machines[0]);
    market.machines.back().name = "quick";
    market.machines.back().usd_per_hour = 1;
    market.machines.back().spot_usd_per_hour = std::nullopt;
    market.machines.back().start = {.machine = {15, 20}};
  }
  const LoadTrace trace{.slot_s = 60, .requests = std::vector<std::uint32_t>(2000, 200'000), .holes = {}};
  return replayed("stash", market, trace, 1500);
}

TEST(PlanningPolicy, MachinesOnDemandAreKeptWhereNothingCanStandInForSpotOnes) {
  const double hours = 500.0 / 60;
  const double per_min = rated_types(small_market(), {}).front().per_min();
  const FluidReplay reserved = replayed_with_spot(false);
  EXPECT_GE(reserved.usd, hours * 0.9 * 0.3 * 200'000 / per_min);
  EXPECT_LT(replayed_with_spot(true).usd, 0.8 * reserved.usd);
  EXPECT_LT(reserved.missed_ratio(), 0.01);
}

TEST(PlanningPolicy, WithoutHistoryItBeginsWithRoomForWhatMayCome) {
  const Market market = small_market();
  const auto wanted = [&](std::size_t minutes) {
    const auto policy = make_fleet_policy("stash", market, {});
    const std::vector<LoadMinute> load(minutes, {.requests = 200'000});
    return policy->decide({60.0 * static_cast<double>(minutes), load, std::vector<TypeCount>(2)}).wanted[0].machines;
  };
  EXPECT_GT(wanted(5), wanted(3000));
}

TEST(PlanningPolicy, LargerRequestsNeedMoreMachines) {
  const Market market = small_market();
  const auto wanted = [&](std::optional<double> work) {
    const auto policy = make_fleet_policy("stash", market, {});
    const std::vector<LoadMinute> load(100, {.requests = 100'000, .work = work});
    return policy->decide({6000, load, std::vector<TypeCount>(2)}).wanted[0].machines;
  };
  EXPECT_EQ(wanted(100'000), wanted(std::nullopt));
  EXPECT_GT(wanted(300'000), 2 * wanted(std::nullopt));
}

TEST(FleetPlan, SaysWhichMachinesWhyAndWhatOneMoreBrings) {
  const Market market = small_market();
  const FleetPlan plan = plan_fleet(market, bursty_trace(2), {});
  EXPECT_TRUE(plan.meets());
  ASSERT_EQ(plan.types.size(), 2U);
  EXPECT_EQ(plan.types[0].name, "gpu");
  EXPECT_FALSE(plan.types[0].why.empty());
  EXPECT_FALSE(plan.types[1].why.empty());
  EXPECT_EQ(plan.hours.size(), 24U);
  ASSERT_FALSE(plan.next.empty());
  EXPECT_LT(plan.usd, *plan.peak_usd);
  double usd = 0;
  for (const PlannedHour& hour : plan.hours) usd += hour.usd;
  EXPECT_NEAR(usd, plan.usd, 1e-6 * plan.usd);
}

}  // namespace
}  // namespace stash
