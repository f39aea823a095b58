#include "stash/fleet/live/fleet_controller.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <memory>

#include "stash/core/clock.h"
#include "stash/core/file.h"
#include "stash/fleet/live/scripted_provider.h"
#include "support/message_of.h"
#include "support/temporary_folder.h"

namespace stash {
namespace {

class ScriptedPolicy final : public FleetPolicy {
 public:
  std::string_view name() const override { return "scripted"; }
  double period_s() const override { return 60; }
  FleetOrder decide(const FleetView& view) override {
    ++asked;
    seen.assign(view.minutes.begin(), view.minutes.end());
    if (!fault.empty()) throw Error(fault);
    FleetOrder order;
    order.wanted = wanted;
    order.reason = "as scripted";
    return order;
  }
  std::vector<WantedType> wanted{{2, 0}, {0, 0}};
  std::vector<LoadMinute> seen;
  std::string fault;
  int asked = 0;
};

Market two_types() {
  Market market{.model = "m", .machines = {}, .functions = {}};
  for (const double price : {1.0, 3.0}) {
    market.machines.push_back({.name = price < 2 ? "small" : "big",
                               .usd_per_hour = price,
                               .start = {},
                               .least_billed_s = 60,
                               .times = BatchTimes({{1, 0.01}})});
  }
  return market;
}

class FleetControllerTest : public testing::Test {
 protected:
  void make() {
    controller = std::make_unique<FleetController>(
        market, policy, provider,
        FleetControllerOptions{.folder = folder.path(), .provider = "scripted", .now_ns = [this] { return time_ns; }});
  }
  void wait(double s, double step_s = 1) {
    const std::int64_t end_ns = time_ns + nanoseconds(s);
    while (time_ns < end_ns) {
      time_ns += nanoseconds(step_s);
      controller->tick();
    }
  }
  int of(int type) const { return static_cast<int>(std::ranges::count(provider.machines, type, &LiveMachine::type)); }
  std::string log() const { return read_file(folder.path() / "decisions.jsonl", 1 << 20); }

  TemporaryFolder folder;
  Market market = two_types();
  ScriptedPolicy policy;
  ScriptedProvider provider;
  std::int64_t time_ns = nanoseconds(1000);
  std::unique_ptr<FleetController> controller;
};

TEST_F(FleetControllerTest, MachinesFollowThePolicyAndEveryDecisionIsLogged) {
  make();
  wait(2);
  EXPECT_EQ(of(0), 2);
  EXPECT_EQ(controller->ready(), 2);
  policy.wanted = {{1, 0}, {1, 1}};
  wait(60);
  EXPECT_EQ(of(0), 1);
  EXPECT_EQ(of(1), 2);
  EXPECT_NE(log().find("\"wanted\":{\"big\":1,\"big (spot)\":1,\"small\":1}"), std::string::npos);
  EXPECT_NE(log().find("as scripted"), std::string::npos);
}

TEST_F(FleetControllerTest, ALostMachineIsReplacedAtOnce) {
  make();
  wait(5);
  const int asked = policy.asked;
  provider.machines.erase(provider.machines.begin());
  wait(2);
  EXPECT_EQ(of(0), 2);
  EXPECT_EQ(policy.asked, asked);
  EXPECT_NE(log().find("\"lost\""), std::string::npos);
}

TEST_F(FleetControllerTest, AFaultOfTheProviderShrinksNothing) {
  make();
  wait(5);
  policy.wanted = {{1, 0}, {0, 0}};
  provider.fault = "the cloud is away";
  wait(200, 5);
  EXPECT_EQ(of(0), 2);
  EXPECT_NE(controller->trouble().find("the cloud is away"), std::string::npos);
  provider.fault.clear();
  wait(180, 5);
  EXPECT_EQ(of(0), 1);
}

TEST_F(FleetControllerTest, ALoadThatIsNotKnownShrinksNothing) {
  make();
  wait(5);
  policy.wanted = {{1, 0}, {0, 0}};
  provider.load_fault = "the metrics do not answer";
  wait(130, 5);
  EXPECT_EQ(of(0), 2);
  EXPECT_TRUE(policy.seen.back().hole);
  EXPECT_NE(log().find("the metrics do not answer"), std::string::npos);
  policy.wanted = {{3, 0}, {0, 0}};  // more may always be
  wait(61);
  EXPECT_EQ(of(0), 3);
}

TEST_F(FleetControllerTest, NonsenseShrinksNothing) {
  make();
  wait(5);
  provider.machines[1].type = 7;
  policy.wanted = {{1, 0}, {0, 0}};
  wait(70);
  EXPECT_EQ(provider.machines.size(), 2u);
  provider.machines[1].type = 0;
  for (const std::vector<WantedType>& nonsense :
       {std::vector<WantedType>{{-1, 0}, {0, 0}}, std::vector<WantedType>{{0, 0}},
        std::vector<WantedType>{{5000, 0}, {0, 0}}}) {
    policy.wanted = nonsense;
    wait(60);
    EXPECT_EQ(provider.machines.size(), 2u);
  }
}

TEST_F(FleetControllerTest, APolicyThatFailsShrinksNothing) {
  make();
  wait(5);
  policy.fault = "no plan";
  wait(120, 5);
  EXPECT_EQ(of(0), 2);
  EXPECT_NE(log().find("no plan"), std::string::npos);
}

TEST_F(FleetControllerTest, NothingIsStoppedWhileItsReplacementCannotStart) {
  make();
  wait(5);
  policy.wanted = {{0, 0}, {1, 0}};
  provider.start_fault = "no capacity";
  wait(130, 5);
  EXPECT_EQ(of(0), 2);
  provider.start_fault.clear();
  wait(130, 5);
  EXPECT_EQ(of(0), 0);
  EXPECT_EQ(of(1), 1);
}

TEST_F(FleetControllerTest, AProviderThatRefusesIsAskedLessAndLess) {
  provider.start_fault = "quota";
  make();
  wait(600, 5);
  const std::string text = log();
  std::size_t refused = 0;
  for (std::size_t at = 0; (at = text.find("\"refused\"", at)) != std::string::npos; ++at) ++refused;
  EXPECT_GT(refused, 5u);
  EXPECT_LT(refused, 25u);
}

TEST_F(FleetControllerTest, OneMachineStaysWhateverThePolicySays) {
  make();
  policy.wanted = {{0, 0}, {0, 0}};
  wait(5);
  EXPECT_EQ(of(0), 1);
  wait(120, 5);
  EXPECT_EQ(provider.machines.size(), 1u);
}

TEST_F(FleetControllerTest, TheNextControllerGoesOnWhereTheFirstOneWas) {
  provider.on_load = [](LoadBook& book, double now_s) { book.add(now_s - 1, now_s, {.served = 10}); };
  make();
  wait(130);
  controller.reset();  // killed: nothing is ended
  policy.wanted = {{2, 0}, {0, 0}};
  provider.machines.pop_back();
  time_ns += nanoseconds(5);
  make();
  EXPECT_NEAR(controller->now_s(), 135, 1e-6);
  wait(3);
  EXPECT_EQ(of(0), 2);  // as ordered before, without a new decision
  wait(60);
  EXPECT_GE(policy.seen.size(), 3u);
  EXPECT_NEAR(policy.seen[1].requests, 600, 20);
  EXPECT_GT(controller->book().totals().served, 1800);
  EXPECT_GT(controller->bill().usd(controller->now_s()), 2 * 190.0 / 3600);
}

TEST_F(FleetControllerTest, AFleetWithoutItsRecordIsNotMadeSmallerBeforeItsLoadIsSeen) {
  make();
  wait(5);
  controller.reset();
  std::filesystem::remove(folder.path() / "fleet.json");
  policy.wanted = {{1, 0}, {0, 0}};
  make();
  wait(50);
  EXPECT_EQ(of(0), 2);
  wait(80);
  EXPECT_EQ(of(0), 1);
}

TEST_F(FleetControllerTest, TheRecordOfAnotherFleetIsRefused) {
  make();
  wait(5);
  controller->save();
  market.model = "other";
  EXPECT_NE(message_of([&] { make(); }).find("another fleet"), std::string::npos);
  folder.write("fleet.json", "{\"schema_version\": 1");
  EXPECT_NE(message_of([&] { make(); }).find("damaged"), std::string::npos);
}

TEST_F(FleetControllerTest, MachinesArePaidFromTheirOrderForAMinuteAtLeast) {
  policy.wanted = {{1, 0}, {1, 0}};
  make();
  wait(30);
  EXPECT_NEAR(controller->bill().usd(controller->now_s()), 4 * 60.0 / 3600, 1e-6);
  wait(90);
  EXPECT_NEAR(controller->bill().usd(controller->now_s()), 4 * 119.0 / 3600, 0.005);
}

}  // namespace
}  // namespace stash
