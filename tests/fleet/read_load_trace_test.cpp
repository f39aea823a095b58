#include "stash/fleet/traffic/read_load_trace.h"

#include <gtest/gtest.h>

#include <numeric>
#include <sstream>

#include "stash/core/error.h"
#include "stash/fleet/traffic/trace_days.h"

namespace stash {
namespace {

LoadTrace trace_of(const std::string& csv, const LoadTraceOptions& options = {}) {
  std::istringstream text(csv);
  return read_load_trace(text, "load.csv", options);
}

std::string trace_fault_of(const std::string& csv, const LoadTraceOptions& options = {}) {
  try {
    trace_of(csv, options);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

// `minutes` of `requests` each, as rows from `first` on.
std::string minute_rows(int first, int minutes, int requests) {
  std::string rows;
  for (int i = 0; i < minutes; ++i) rows += std::to_string(first + i) + "," + std::to_string(requests) + "\n";
  return rows;
}

TEST(ReadLoadTrace, CountsPerMinuteOrSecondAreToldByTheHeader) {
  const LoadTrace minutes = trace_of("minute,requests,peak_5s_requests\n3,10,4\n4,20,5\n");
  EXPECT_EQ(minutes.slot_s, 60);
  EXPECT_EQ(minutes.requests, (std::vector<std::uint32_t>{10, 20}));
  EXPECT_EQ(minutes.peak_5s, (std::vector<std::uint32_t>{4, 5}));
  EXPECT_EQ(minutes.begin_s, 180);
  EXPECT_EQ(trace_of("second,count\n0,1\n1,2\n").slot_s, 1);
  EXPECT_EQ(trace_of("Requests Per Minute\n7\n8\n").requests, (std::vector<std::uint32_t>{7, 8}));
  EXPECT_EQ(trace_of("rps\n7\n8\n").slot_s, 1);
  EXPECT_EQ(trace_of("minute;requests\r\n0;5\r\n").requests[0], 5U);
}

TEST(ReadLoadTrace, DistanceOfRowsIsTheSlot) {
  const LoadTrace trace = trace_of(
      "timestamp,requests\n2021-08-01T10:00:00+02:00,5\n2021-08-01T10:01:00+02:00,6\n2021-08-01 10:03+02:00,7\n");
  EXPECT_EQ(trace.slot_s, 60);
  EXPECT_EQ(trace.requests, (std::vector<std::uint32_t>{5, 6, 0, 7}));
  EXPECT_TRUE(trace.is_hole(2));
  EXPECT_EQ(static_cast<long>(trace.begin_s) % 86400, 10 * 3600);
  ASSERT_EQ(trace.warnings.size(), 1U);
  EXPECT_EQ(trace.warnings[0], "60.0 s in 1 stretch have no row and are left out: day 1, 10:02 to day 1, 10:03");
  EXPECT_EQ(trace_of("date,requests\n2021-08-01,5\n2021-08-01 00:05,6\n").slot_s, 300);
  EXPECT_EQ(trace_of("time,count\n1700000000000,5\n1700000060000,6\n").slot_s, 60);  // milliseconds
  EXPECT_EQ(trace_of("timestamp,rps\n0,0.5\n60,1\n").requests, (std::vector<std::uint32_t>{30, 60}));
}

TEST(ReadLoadTrace, TimesOfRequestsAreKeptWhereTheyAreFiner) {
  const LoadTrace trace = trace_of("timestamp\n2021-08-01 10:00:00.25\n2021-08-01 10:00:00.5\n2021-08-01 10:00:02\n");
  EXPECT_EQ(trace.requests, (std::vector<std::uint32_t>{2, 0, 1}));
  ASSERT_EQ(trace.timed.size(), 3U);
  EXPECT_NEAR(trace.timed[1].at_s, 0.5, 1e-6);
  EXPECT_TRUE(trace_of("time\n1\n1\n3\n").timed.empty());
}

TEST(ReadLoadTrace, ServicesAreMergedOrPicked) {
  const std::string csv =
      "service,seconds_after_18h00_utc,context_tokens,generated_tokens\ncode,5.5,100,7\ncode,8.5,200,9\nconv,3.5,1,2\n";
  const LoadTrace all = trace_of(csv);
  EXPECT_EQ(all.requests, (std::vector<std::uint32_t>{1, 0, 1, 0, 0, 1}));
  EXPECT_TRUE(all.has_sizes);
  EXPECT_EQ(all.timed[1].in, 100);
  EXPECT_EQ(all.timed[1].out, 7);
  EXPECT_EQ(trace_of(csv, {.service = "conv"}).requests.size(), 1U);
  EXPECT_EQ(trace_fault_of(csv, {.service = "cove"}), "load.csv has no rows of the service 'cove'; it has code, conv");
}

TEST(ReadLoadTrace, SilenceAmidSteadyTrafficIsAHole) {
  // A minute recorded in part, then none.
  const LoadTrace trace = trace_of("minute,requests\n" + minute_rows(0, 30, 1000) + "30,2\n" + minute_rows(31, 20, 0) +
                                   minute_rows(51, 30, 900));
  EXPECT_FALSE(trace.is_hole(29));
  EXPECT_TRUE(trace.is_hole(30));
  EXPECT_TRUE(trace.is_hole(50));
  EXPECT_FALSE(trace.is_hole(51));
  EXPECT_EQ(trace.requests[30], 0U);
  ASSERT_EQ(trace.warnings.size(), 1U);
  EXPECT_NE(trace.warnings[0].find("21 min in 1 stretch"), std::string::npos) << trace.warnings[0];
}

TEST(ReadLoadTrace, QuietTrafficIsNoHole) {
  // Few requests: a silence may be chance.
  EXPECT_TRUE(trace_of("minute,requests\n" + minute_rows(0, 30, 1) + minute_rows(30, 20, 0) + minute_rows(50, 30, 1))
                  .holes.empty());
  // Work in batches.
  std::string rows = "minute,requests\n";
  for (int i = 0; i < 10; ++i) rows += minute_rows(20 * i, 1, 5000) + minute_rows(20 * i + 1, 19, 0);
  EXPECT_TRUE(trace_of(rows).holes.empty());
  // A night.
  const LoadTrace night =
      trace_of("minute,requests\n" + minute_rows(0, 60, 500) + minute_rows(60, 600, 0) + minute_rows(660, 60, 500));
  EXPECT_TRUE(night.holes.empty());
  ASSERT_EQ(night.warnings.size(), 1U);
  EXPECT_NE(night.warnings[0].find("taken as quiet"), std::string::npos);
}

TEST(ReadLoadTrace, FaultsNameTheLine) {
  EXPECT_EQ(trace_fault_of("minute,requests\n0,5\n1,-2\n"), "load.csv, line 3: -2 requests are fewer than none");
  EXPECT_EQ(trace_fault_of("minute,requests\n0,1.5\n"), "load.csv, line 2: 1.5 is no number of requests");
  EXPECT_EQ(trace_fault_of("minute,requests\n0,many\n"), "load.csv, line 2: 'many' is no number of requests");
  EXPECT_EQ(trace_fault_of("minute,requests\n0,\n"), "load.csv, line 2: no number of requests");
  EXPECT_EQ(trace_fault_of("minute,requests\n0,nan\n"), "load.csv, line 2: 'nan' is no number of requests");
  EXPECT_EQ(trace_fault_of("minute,requests\n0,1e12\n"), "load.csv, line 2: 1e+12 requests within 60.0 s are absurd");
  EXPECT_EQ(trace_fault_of("minute,requests\n3,5\n1,2\n"),
            "load.csv, line 3: goes back in time: sort the rows by time");
  EXPECT_EQ(trace_fault_of("minute,requests\n3,5\n3,2\n"), "load.csv, line 3: counts the same time again");
  EXPECT_EQ(trace_fault_of("time\nnoon\n"),
            "load.csv, line 2: 'noon' is no time; times are seconds or like 2021-08-01T00:01:00Z");
  EXPECT_EQ(trace_fault_of("time\n2021-08-01T00:00Z\n2021-08-01T00:01\n"),
            "load.csv, line 3: '2021-08-01T00:01' has no time zone, and the rows before it have one: give all rows the "
            "same");
  EXPECT_EQ(trace_fault_of("time\n2021-08-01T00:00Z\n7\n"),
            "load.csv, line 3: '7' is a number, and the rows before it have dates");
  EXPECT_EQ(trace_fault_of("time,x\n1\n"), "load.csv, line 2: has 1 fields, the header has 2");
  EXPECT_EQ(trace_fault_of("time\n1e300\n"), "load.csv, line 2: the time 1e300 is absurd");
  EXPECT_EQ(trace_fault_of("time\n0\n1e10\n").substr(0, 27), "load.csv, line 3: is 277777")
      << trace_fault_of("time\n0\n1e10\n");
  EXPECT_EQ(trace_fault_of("5,7\n6,8\n"),
            "load.csv, line 1: the first line must name the columns, like minute,requests");
  EXPECT_EQ(trace_fault_of("minute,requests\n0,0\n"), "load.csv holds no request");
  EXPECT_EQ(trace_fault_of("minute,requests\n"), "load.csv holds no rows under its header");
  EXPECT_EQ(trace_fault_of(""), "load.csv is empty: it needs a header and rows, like minute,requests");
  EXPECT_EQ(trace_fault_of("when,load\n1,2\n").substr(0, 28), "load.csv: no column of times");
  EXPECT_EQ(
      trace_fault_of("time,requests\n2021-08-01,5\n2021-08-02,5\n"),
      "load.csv, line 3: counts per 24.0 h say too little of when requests come: give counts per second or minute");
  EXPECT_EQ(trace_fault_of("time,requests\n0,5\n60,5\n90,5\n120,5\n135,2\n150,1\n155,1\n"), "") << "five seconds";
}

TEST(ReadLoadTrace, AChangeOfTimeZoneIsSaid) {
  const LoadTrace trace = trace_of(
      "time,requests\n2021-10-31T02:59:00+02:00,5\n2021-10-31T02:00:00+01:00,6\n2021-10-31T02:01:00+01:00,6\n");
  EXPECT_EQ(trace.requests.size(), 3U);
  ASSERT_EQ(trace.warnings.size(), 1U);
  EXPECT_EQ(trace.warnings[0], "the time zone changes in line 3: rows are taken in the order of their moments");
}

TEST(TraceDays, AreOfTheTrace) {
  const LoadTrace trace{.slot_s = 60, .requests = std::vector<std::uint32_t>(3 * 1440 - 5, 1)};
  EXPECT_EQ(parse_trace_days("2", trace).from_s, 86400);
  EXPECT_EQ(parse_trace_days("2-3", trace).to_s, trace.duration_s());
  EXPECT_EQ(parse_trace_days("", trace).to_s, trace.duration_s());
  for (const char* const wrong : {"0", "4", "3-2", "2-", "x", "1-4"}) {
    EXPECT_THROW(parse_trace_days(wrong, trace), UsageError) << wrong;
  }
}

}  // namespace
}  // namespace stash
