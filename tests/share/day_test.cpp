#include "stash/share/day.h"

#include <gtest/gtest.h>

#include "stash/core/error.h"
#include "stash/share/published_curves.h"
#include "support/message_of.h"

namespace stash {
namespace {

constexpr DayMachine kSynergyMachine{.gpus = 8, .resources = {.cores = 24}};  // 3 cores per GPU

std::vector<PolicySummary> days_of(std::string_view kinds, int count, double load) {
  std::vector<std::vector<PolicyDay>> days;
  for (int day = 0; day < count; ++day) {
    const DayPlan plan{.kinds = curves_of_kinds(kinds), .jobs = 110, .load = load, .seed = std::uint64_t(day + 1)};
    days.push_back(simulate_day(draw_day(plan, kSynergyMachine), kSynergyMachine));
  }
  return summarize(days);
}

DayJob job(std::string_view model, double work_s, double arrives_s = 0) {
  DayJob made{.curve = published_curve(model), .arrives_s = arrives_s};
  made.curve.samples_left = work_s;
  return made;
}

TEST(PublishedCurves, AreThoseOfSynergy) {
  ASSERT_EQ(published_curves().size(), 10U);
  const SupplyCurve& res18 = published_curve("res18");
  EXPECT_EQ(res18.max_workers(), 24);
  EXPECT_DOUBLE_EQ(res18.by_workers[0].per_s, 0.37);
  EXPECT_DOUBLE_EQ(res18.by_workers[2].per_s, 1);
  EXPECT_DOUBLE_EQ(res18.by_workers[8].per_s, 2.4);
  EXPECT_NEAR(res18.by_workers[6].per_s, 1.75 + (2.4 - 1.75) / 3, 1e-12) << "between 6 and 9";
  EXPECT_DOUBLE_EQ(published_curve("bert").by_workers[0].per_s, 1);
  EXPECT_NE(message_of<UsageError>([] { published_curve("res52"); }).find("res50"), std::string::npos);
}

TEST(PublishedCurves, ADamagedTableIsRefusedWithItsLine) {
  const std::string header = "model,kind,cpus_1,cpus_3,source\n";
  EXPECT_NE(message_of([&] { parse_curves(header + "a,b,0.5,x,s\n", "table"); }).find("line 2"), std::string::npos);
  EXPECT_THROW(parse_curves("model,kind,cpus_3,cpus_1,source\na,b,1,2,s\n", "table"), Error);
  EXPECT_THROW(parse_curves("model,cpus_1,source\na,1,s\n", "table"), Error);
}

TEST(Day, AMixGainsElevenToThirteenPercentAndVisionAloneOneToFour) {
  const PolicySummary mixed = days_of("vision,speech,language", 20, 1.2).back();
  EXPECT_GE(mixed.throughput_gain.ratio, 0.11);
  EXPECT_LE(mixed.throughput_gain.ratio, 0.13);
  const PolicySummary vision = days_of("vision", 20, 1.2).back();
  EXPECT_GE(vision.throughput_gain.ratio, 0.01);
  EXPECT_LE(vision.throughput_gain.ratio, 0.04);
}

TEST(Day, TheOptimumIsNeverBelowAnotherPolicy) {
  for (const char* kinds : {"vision", "vision,language", "vision,speech,language"}) {
    const std::vector<PolicySummary> rows = days_of(kinds, 2, 1);
    for (const PolicySummary& row : rows) {
      EXPECT_LE(row.throughput_gain.ratio, rows.back().throughput_gain.ratio + 1e-9) << to_string(row.policy);
    }
    EXPECT_DOUBLE_EQ(rows.front().throughput_gain.ratio, 0);
  }
}

TEST(Day, JobsWaitForAGpuInTheOrderOfTheirArrival) {
  const std::vector<DayJob> jobs{job("bert", 100), job("bert", 50, 10), job("bert", 50, 20)};
  const PolicyDay even = simulate_day(jobs, {.gpus = 1, .resources = {.cores = 4}}).front();
  EXPECT_EQ(even.ended_s, (std::vector<double>{100, 150, 200}));
  EXPECT_DOUBLE_EQ(even.makespan_s, 200);
  EXPECT_DOUBLE_EQ(even.mean_completion_s, (100 + 140 + 180) / 3.0);
}

TEST(Day, CoresGoToWhoIsThere) {
  // Alone res18 has all 6 cores, then 3 of them.
  const std::vector<DayJob> jobs{job("res18", 2750), job("res18", 1000, 1000)};
  const std::vector<PolicyDay> days = simulate_day(jobs, {.gpus = 2, .resources = {.cores = 6}});
  EXPECT_NEAR(days.front().ended_s[0], 2000, 1e-6);
  EXPECT_NEAR(days.front().ended_s[1], 2000, 1e-6);
}

TEST(Day, WorkThatNeverEndsIsRefused) {
  EXPECT_THROW(simulate_day(std::vector{job("bert", 0)}, kSynergyMachine), UsageError);
  EXPECT_THROW(simulate_day({}, kSynergyMachine), UsageError);
  EXPECT_THROW(simulate_day(std::vector{job("bert", 1)}, {.gpus = 8, .resources = {.cores = 7}}), UsageError);
}

}  // namespace
}  // namespace stash
