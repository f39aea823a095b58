#include "stash/serve/load/arrival_trace.h"

#include <gtest/gtest.h>

#include <sstream>

#include "stash/core/error.h"

namespace stash {
namespace {

ArrivalPlan plan_of(const std::string& csv, const TraceOptions& options = {}) {
  std::istringstream text(csv);
  return read_arrivals(text, "trace.csv", options);
}

std::string fault_of(const std::string& csv) {
  try {
    plan_of(csv);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(ArrivalTrace, TimesBeginWithTheFirstRow) {
  const ArrivalPlan plan = plan_of("service,seconds_after_18h00,tokens\ncode,1023.5,7\r\ncode,1024,8\n");
  EXPECT_EQ(plan, (ArrivalPlan{0, 500'000'000}));
}

TEST(ArrivalTrace, AUnitIsTakenFromTheNameOfTheColumn) {
  EXPECT_EQ(plan_of("arrival_ms\n10\n12.5\n"), (ArrivalPlan{0, 2'500'000}));
  EXPECT_EQ(plan_of("time_us\n10\n12\n"), (ArrivalPlan{0, 2'000}));
}

TEST(ArrivalTrace, CountsFallIntoTheirPeriod) {
  const ArrivalPlan plan = plan_of("minute,requests,peak\n5,3,9\n7,2,9\n");
  ASSERT_EQ(plan.size(), 5U);
  EXPECT_LT(plan[2], 60'000'000'000);
  EXPECT_GE(plan[3], 120'000'000'000);  // minute 6 is missing: none
  EXPECT_LT(plan[4], 180'000'000'000);
}

TEST(ArrivalTrace, ScalingThinsOrRepeats) {
  EXPECT_NEAR(static_cast<double>(plan_of("second,count\n0,100000\n", {.scale = 0.1}).size()), 10'000, 500);
  EXPECT_EQ(plan_of("second,count\n0,100\n", {.scale = 3}).size(), 300U);
}

TEST(ArrivalTrace, EndsAfterTheTimeAskedFor) {
  EXPECT_EQ(plan_of("second,count\n0,4\n1,4\n2,4\n", {.duration_s = 2}).size(), 8U);
  EXPECT_LT(plan_of("minute,count\n0,60000\n", {.duration_s = 6}).back(), 6'000'000'000);
}

TEST(ArrivalTrace, FaultsNameTheLine) {
  EXPECT_EQ(fault_of("second,requests\n0,5\n1,-2\n"), "trace.csv, line 3: -2 is no number of requests");
  EXPECT_EQ(fault_of("second,requests\n0,1.5\n"), "trace.csv, line 2: 1.5 is no number of requests");
  EXPECT_EQ(fault_of("second,requests\n3,5\n1,2\n"), "trace.csv, line 3: goes back in time: sort the rows");
  EXPECT_EQ(fault_of("second,requests\n3,5\n3,2\n"), "trace.csv, line 3: counts the same period again");
  EXPECT_EQ(fault_of("time\nnoon\n"), "trace.csv, line 2: 'noon' is not a number");
  EXPECT_EQ(fault_of("time,x\n1\n"), "trace.csv, line 2: has 1 fields, the header has 2");
  EXPECT_EQ(fault_of("time\n1e300\n"), "trace.csv, line 2: the time is beyond 300 years");
  EXPECT_EQ(fault_of("second,requests\n0,1e12\n"), "trace.csv, line 2: 1e+12 is no number of requests");
  EXPECT_EQ(fault_of("second,requests\n0,900000000\n").substr(0, 30), "trace.csv holds more than 20,0");
  EXPECT_EQ(fault_of("when,requests\n").substr(0, 21), "trace.csv: the header");
  EXPECT_EQ(fault_of("second,requests\n0,0\n"), "trace.csv holds no request");
  EXPECT_EQ(fault_of(""), "trace.csv is empty");
}

}  // namespace
}  // namespace stash
