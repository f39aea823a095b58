#include "stash/report/chrome_trace.h"

#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>

#include "report_fixture.h"
#include "support/message_of.h"

namespace stash {

namespace {

using nlohmann::json;
using testing_support::report_of;

Span collective(std::int64_t start_us, std::int64_t length_us, std::string op = "allreduce") {
  return {SpanKind::collective, start_us, length_us, 4096, std::move(op)};
}

// One rank, two steps of 100 us each under `node`.
Profile traced_profile() {
  Profile profile = testing_support::interconnect_profile();
  const RankTrace rank{.rank = 1,
                       .host = {{SpanKind::step, 0, 100, 0, ""},
                                {SpanKind::input_wait, 0, 20, 0, ""},
                                {SpanKind::forward, 20, 80, 0, ""},
                                {SpanKind::step, 100, 100, 0, ""},
                                collective(130, 20)},
                       .device = {{SpanKind::copy, 25, 5, 0, ""}}};
  profile.traces = {{1, Condition::node, {rank}}};
  return profile;
}

json trace_of(const Profile& profile) { return json::parse(render_trace(report_of(profile))); }

std::vector<json> events(const json& trace, const std::string& phase) {
  std::vector<json> found;
  for (const json& event : trace["traceEvents"]) {
    if (event["ph"] == phase) found.push_back(event);
  }
  return found;
}

// (process, thread) of every span, by the thread's name.
std::map<std::string, std::vector<json>> by_thread(const json& trace) {
  std::map<json, std::string> names;
  for (const json& event : events(trace, "M")) {
    if (event["name"] == "thread_name") names[{event["pid"], event["tid"]}] = event["args"]["name"];
  }
  std::map<std::string, std::vector<json>> found;
  for (const json& event : events(trace, "X")) found[names.at({event["pid"], event["tid"]})].push_back(event);
  return found;
}

// What the importers of Chrome and Perfetto want of every event.
void expect_importable(const json& trace) {
  ASSERT_TRUE(trace["traceEvents"].is_array());
  for (const json& event : trace["traceEvents"]) {
    ASSERT_TRUE(event["pid"].is_number_integer() && event["tid"].is_number_integer()) << event;
    ASSERT_TRUE(event["ts"].is_number() && event["name"].is_string() && event["args"].is_object()) << event;
    ASSERT_TRUE(event["ph"] == "M" || (event["ph"] == "X" && event["dur"].is_number())) << event;
  }
}

}  // namespace

TEST(ChromeTrace, HasEverySpanOnItsThread) {
  const json trace = trace_of(traced_profile());
  expect_importable(trace);
  const auto threads = by_thread(trace);
  ASSERT_EQ(threads.at("rank 1 host").size(), 4);
  ASSERT_EQ(threads.at("rank 1 device").size(), 1);
  ASSERT_EQ(threads.at("rank 1 collectives, host").size(), 1);
  const json& forward = threads.at("rank 1 host")[2];
  EXPECT_EQ(forward["name"], "forward");
  EXPECT_EQ(forward["ts"], 20);
  EXPECT_EQ(forward["dur"], 80);
  EXPECT_EQ(forward["args"]["step"], 1);
  const json& reduced = threads.at("rank 1 collectives, host")[0];
  EXPECT_EQ(reduced["name"], "allreduce");
  EXPECT_EQ(reduced["args"]["bytes"], 4096);
  EXPECT_EQ(reduced["args"]["step"], 2);
  EXPECT_FALSE(trace["otherData"].contains("spans_left_out_while_measuring"));
  EXPECT_FALSE(trace["otherData"].contains("spans_left_out_of_this_file"));
}

TEST(ChromeTrace, AProcessIsNamedAfterItsConditionAndItsStep) {
  Profile profile = traced_profile();
  profile.traces.push_back({1, Condition::solo, profile.traces[0].ranks});
  profile.job.device = "emulated:V100";
  std::vector<std::string> names;
  std::vector<int> order;
  for (const json& event : events(trace_of(profile), "M")) {
    if (event["name"] == "process_name") names.push_back(event["args"]["name"]);
    if (event["name"] == "process_sort_index") order.push_back(event["args"]["sort_index"]);
  }
  ASSERT_EQ(names.size(), 2);
  EXPECT_EQ(names[0], "solo: 43.3 ms per step (emulated V100)");
  EXPECT_EQ(names[1].substr(0, 8), "node: 80");
  EXPECT_EQ(order, (std::vector<int>{1, 2}));
}

TEST(ChromeTrace, CollectivesThatOverlapAreOnSeveralLanes) {
  Profile profile = traced_profile();
  profile.traces[0].ranks[0].host = {collective(0, 50), collective(10, 10), collective(20, 40), collective(60, 5)};
  const auto threads = by_thread(trace_of(profile));
  ASSERT_EQ(threads.at("rank 1 collectives, host").size(), 2);      // 0 to 50, 60 to 65
  ASSERT_EQ(threads.at("rank 1 collectives, host (2)").size(), 2);  // 10 to 20, 20 to 60
}

TEST(ChromeTrace, RanksOnSeveralNodesHaveTheirHostsNames) {
  Profile profile = traced_profile();
  profile.places = {{"left", 0}, {"right\x1b[31m", 1}};
  EXPECT_TRUE(by_thread(trace_of(profile)).contains("rank 1 on right?[31m host"));
}

TEST(ChromeTrace, HostileNamesStayText) {
  Profile profile = traced_profile();
  const std::string hostile = "\"}],\"x\":[{\"<script>\x1b[2J\xff\n";
  profile.job.model = hostile;
  profile.traces[0].ranks[0].host = {collective(0, 1, hostile), collective(2, 1, std::string(1'000'000, 'a'))};
  const std::string text = render_trace(report_of(profile));
  EXPECT_LT(text.size(), 10'000);
  const json trace = json::parse(text);
  expect_importable(trace);
  const std::vector<json> collectives = by_thread(trace).at("rank 1 collectives, host");
  ASSERT_EQ(collectives.size(), 2);
  EXPECT_EQ(collectives[0]["name"], "\"}],\"x\":[{\"<script>?[2J??");
}

TEST(ChromeTrace, AHugeTraceIsCutAndSaysSo) {
  Profile profile = traced_profile();
  constexpr std::size_t kRanks = 8, kSpans = 25'000;
  RankTrace rank{.rank = 0};
  for (std::size_t i = 0; i < kSpans; ++i) {
    rank.host.push_back({SpanKind::step, static_cast<std::int64_t>(i) * 100, 100, 0, ""});
  }
  rank.left_out = 3;
  profile.traces = {{1, Condition::node, std::vector(kRanks, rank)}};
  const std::string text = render_trace(report_of(profile));
  EXPECT_LE(text.size(), kTraceFileBytes);
  EXPECT_GT(text.size(), kTraceFileBytes / 2);
  const json trace = json::parse(text);
  expect_importable(trace);
  const std::vector<json> shown = events(trace, "X");
  EXPECT_EQ(trace["otherData"]["spans_left_out_of_this_file"], kRanks * kSpans - shown.size());
  EXPECT_EQ(trace["otherData"]["spans_left_out_while_measuring"], 3 * kRanks);
  std::map<json, std::size_t> by_rank;
  for (const json& event : shown) ++by_rank[event["tid"]];
  EXPECT_EQ(by_rank.size(), kRanks) << "every rank has its share";
}

TEST(ChromeTrace, ManyRanksAndManyLanesAreBounded) {
  Profile profile = traced_profile();
  const RankTrace rank{.rank = 2'000'000'000, .host = {collective(0, 5)}};
  profile.traces = {{1, Condition::node, std::vector(100'000, rank)}};
  EXPECT_LE(render_trace(report_of(profile)).size(), kTraceFileBytes);

  profile.traces = {{1, Condition::node, {{.rank = 0, .host = std::vector(2'000, collective(0, 1'000'000))}}}};
  const json trace = trace_of(profile);
  EXPECT_EQ(trace["otherData"]["spans_left_out_of_this_file"].get<std::size_t>() + events(trace, "X").size(), 2'000);
}

TEST(ChromeTrace, AnOldProfileIsToldFromABrokenOne) {
  Profile profile = traced_profile();
  profile.traces.clear();
  const std::string message = message_of([&] { render_trace(report_of(profile)); });
  EXPECT_NE(message.find("made by an older Stash"), std::string::npos) << message;
}

}  // namespace stash
