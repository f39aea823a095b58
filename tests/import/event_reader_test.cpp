#include "stash/import/event_reader.h"

#include <gtest/gtest.h>

#include "made_trace.h"

namespace stash {
namespace {

using testing_support::MadeTrace;
using testing_support::MemoryBytes;

struct Kept {
  char phase;
  std::string category, name;
  std::optional<std::int64_t> process, start_ns, duration_ns;
  bool operator==(const Kept&) const = default;
};

struct ReadTrace {
  std::vector<Kept> events;
  TraceRead read;
};

ReadTrace read_events(std::string_view text, SkipNested skip = best_skip_nested()) {
  MemoryBytes bytes(text);
  EventReader reader(bytes, skip);
  ReadTrace result;
  for (TraceEvent event; reader.next(event);) {
    result.events.push_back({event.phase, std::string(event.category), std::string(event.name), event.process,
                             event.start_ns, event.duration_ns});
  }
  result.read = reader.read();
  return result;
}

MadeTrace long_trace() {
  MadeTrace trace;
  for (int i = 0; i < 5000; ++i) trace.compute(i * 10, 5).op(i * 10, 3);
  return trace;
}

}  // namespace

TEST(EventReader, KeepsWhatALedgerNeeds) {
  const ReadTrace found = read_events(
      R"({"traceEvents":[{"ph":"X","cat":"kernel","name":"a\"b","pid":3,"tid":7,"ts":12.5,"dur":0.125,"args":{"x":[{}]}}]})");
  ASSERT_EQ(found.events.size(), 1U);
  EXPECT_EQ(found.events[0], (Kept{'X', "kernel", "a\\\"b", 3, 12'500, 125}));
  EXPECT_FALSE(found.read.truncated);
  EXPECT_EQ(found.read.damaged, 0U);
}

TEST(EventReader, OrderOfKeysAndWhiteSpaceDoNotMatter) {
  const ReadTrace found = read_events(
      " \r\n{ \"z\" : [ 1 , {\"}\":\"]\"} ] ,\t\"traceEvents\" : [ { \"dur\" : 2 , \"args\" : "
      "{ \"name\" : \"no\" } , \"ts\" : 1 , \"name\" : \"n\" , \"ph\" : \"X\" } ] }");
  ASSERT_EQ(found.events.size(), 1U);
  EXPECT_EQ(found.events[0], (Kept{'X', "", "n", std::nullopt, 1000, 2000}));
}

TEST(EventReader, ABareArrayNeedsNoClosingBracket) {
  EXPECT_EQ(read_events(R"([{"ph":"X"},{"ph":"i"}])").events.size(), 2U);
  const ReadTrace open = read_events("[{\"ph\":\"X\"},\n{\"ph\":\"i\"},\n");
  EXPECT_EQ(open.events.size(), 2U);
  EXPECT_FALSE(open.read.truncated);
}

TEST(EventReader, FindsTheRankBeforeAndBehindTheEvents) {
  const char* info =
      R"("distributedInfo": {"backend": "nccl", "pg_config": [{"ranks": [0, 1]}], "rank": 5, "world_size": 8})";
  for (const std::string& text :
       {fmt::format("{{{}, \"traceEvents\": []}}", info), fmt::format("{{\"traceEvents\": [], {}}}", info)}) {
    const TraceRead read = read_events(text).read;
    EXPECT_EQ(read.rank, 5);
    EXPECT_EQ(read.world_size, 8);
  }
}

TEST(EventReader, TimesOfTodayKeepTheirNanoseconds) {
  const auto ns = [](const char* number) {
    return read_events(fmt::format("[{{\"ts\": {}}}]", number)).events.at(0).start_ns;
  };
  EXPECT_EQ(ns("1790857026123456.789"), 1'790'857'026'123'456'789);
  EXPECT_EQ(ns("1790857026123456"), 1'790'857'026'123'456'000);
  EXPECT_EQ(ns("0.0019999"), 1);
  EXPECT_EQ(ns("-1.5"), -1500);
  EXPECT_EQ(ns("1.5e3"), 1'500'000);
  EXPECT_EQ(ns("\"1790857026123456.789\""), 1'790'857'026'123'456'789);
  for (const char* bad :
       {"NaN", "-Infinity", "1e999", "99999999999999999999", "-", "null", "\"\"", "\"5 µs\"", "\"NaN\"", "[1]"}) {
    EXPECT_EQ(ns(bad), std::nullopt) << bad;
  }
}

TEST(EventReader, EventsAcrossBlocksOfTheFileAreWhole) {
  const std::string text = long_trace().text();
  ASSERT_GT(text.size(), 3 * EventReader::kLargestEvent_bytes);
  const ReadTrace fast = read_events(text), portable = read_events(text, skip_nested_portable);
  EXPECT_EQ(fast.events.size(), 10'000U);
  EXPECT_EQ(fast.events, portable.events);
  EXPECT_EQ(fast.events[9998].start_ns, 4999 * 10'000);
  EXPECT_EQ(fast.read.bytes, text.size());
}

TEST(EventReader, AFileCutAnywhereGivesTheEventsBeforeTheCut) {
  MadeTrace trace;
  for (int i = 0; i < 40; ++i) trace.compute(i * 10, 5);
  const std::string text = trace.of_rank(1, 2);
  const std::vector<Kept> whole = read_events(text).events;
  std::size_t before = 0;
  for (std::size_t cut = 0; cut < text.size() - 3; cut += 97) {
    const ReadTrace found = read_events(std::string_view(text).substr(0, cut));
    EXPECT_TRUE(found.read.truncated) << cut;
    EXPECT_EQ(found.read.damaged, 0U) << cut;
    EXPECT_GE(found.events.size(), before);
    EXPECT_TRUE(std::equal(found.events.begin(), found.events.end(), whole.begin())) << cut;
    before = found.events.size();
  }
  EXPECT_GE(before, 39U);
}

TEST(EventReader, ReadingGoesOnBehindDamage) {
  const ReadTrace found = read_events(R"([{"ph":"X","ts":1},{"ph":"X","ts":},{"ph" "X"},@,{"ph":"X","ts":4}])");
  ASSERT_GE(found.events.size(), 2U);
  EXPECT_EQ(found.events.front().start_ns, 1000);
  EXPECT_EQ(found.events.back().start_ns, 4000);
  EXPECT_EQ(found.read.damaged, 2U);
}

// Its string ends at the next quote, and from there on all quotes mean the opposite.
TEST(EventReader, AMissingQuoteLosesOneBlockNotTheRest) {
  MadeTrace made;
  for (int i = 0; i < 20'000; ++i) made.compute(i * 10, 5);
  std::string text = made.text();
  text.erase(text.find("\", \"cat\"", 100'000), 1);
  const ReadTrace found = read_events(text);
  EXPECT_LT((20'000 - found.events.size()) * (text.size() / 20'000), 2 * EventReader::kLargestEvent_bytes);
  EXPECT_GT(found.read.damaged, 0U);
  EXPECT_FALSE(found.read.truncated);
}

TEST(SkipNested, BothWaysAgreeOnStringsEscapesAndDepth) {
  for (std::size_t shift = 0; shift < 130; ++shift) {
    std::string text(shift, ' ');
    text += R"("a\\":"\"}]","b":[[1,{"c":"\\\\"}],"{"],"\u007b":{}}tail)";
    const std::size_t length = text.size();
    text.append(kScanPadding, '\0');
    const char* const end = text.data() + length;
    EXPECT_EQ(best_skip_nested()(text.data(), end), end - 4) << shift;
    EXPECT_EQ(skip_nested_portable(text.data(), end), end - 4) << shift;
    EXPECT_EQ(best_skip_nested()(text.data(), end - 5), nullptr) << shift;
  }
}

}  // namespace stash
