#include <gtest/gtest.h>

#include "made_trace.h"
#include "stash/core/error.h"
#include "stash/import/event_reader.h"
#include "stash/import/trace_ledger.h"

namespace stash {
namespace {

using testing_support::gzipped;
using testing_support::MadeTrace;
using testing_support::MemoryBytes;
using testing_support::TraceFile;

TraceRead read_to_end(std::string_view text) {
  MemoryBytes bytes(text);
  EventReader reader(bytes);
  for (TraceEvent event; reader.next(event);) {
  }
  return reader.read();
}

std::string repeated(std::string_view piece, std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += piece;
  return text;
}

constexpr std::size_t kMany = 3'000'000;

}  // namespace

TEST(HostileTrace, DepthCostsNeitherStackNorMemory) {
  const TraceRead read = read_to_end("[{\"args\":" + repeated("[", kMany) + repeated("]", kMany) + "},{\"ph\":\"X\"}]");
  EXPECT_EQ(read.too_large, 1U);
  EXPECT_EQ(read.events, 1U);
  EXPECT_FALSE(read.truncated);
}

TEST(HostileTrace, ValuesLargerThanTheBufferAreLeftOutWhereverTheyStand) {
  const std::string large(kMany, 'x');
  EXPECT_EQ(read_to_end("[{\"name\":\"" + large + "\"},{\"ph\":\"X\"}]").events, 1U);
  EXPECT_EQ(read_to_end("{\"a\":\"" + large + "\",\"traceEvents\":[{\"ph\":\"X\"}]}").events, 1U);
  EXPECT_EQ(read_to_end("{\"a\":[\"" + large + "\"],\"traceEvents\":[{\"ph\":\"X\"}]}").events, 1U);
  EXPECT_EQ(read_to_end("[{\"ph\":\"X\"}," + std::string(kMany, ' ') + "{\"ph\":\"X\"}]").events, 2U);
  EXPECT_TRUE(read_to_end("[{\"name\":\"" + large).truncated);
  EXPECT_TRUE(read_to_end("{\"" + large).truncated);
}

TEST(HostileTrace, PlacesThatFailLateDoNotCostTheirSquare) {
  const std::size_t depth = 40'000;
  const TraceRead read = read_to_end(fmt::format("[{}1{}]", repeated("{\"a\":", depth), repeated("}X", depth)));
  EXPECT_GT(read.damaged, 0U);
}

// Every '{' begins what looks like a value without an end, with a broken string close behind it.
TEST(HostileTrace, BrokenStringsInEndlessValuesDoNotCostTheirSquare) {
  const TraceRead read = read_to_end("[" + repeated("{\"k\":{\"\n\":0,", kMany / 4));
  EXPECT_GT(read.damaged, 0U);
  EXPECT_LT(read.damaged, 100U);
}

TEST(HostileTrace, AGzipBombCostsNoMoreMemoryThanItsBlocks) {
  constexpr std::size_t kPart = 1'000'000, kParts = 100;
  const std::string packed = gzipped("[") + repeated(gzipped(std::string(kPart, ' ')), kParts) + gzipped("{}]");
  ASSERT_LT(packed.size(), kPart * kParts / 500);
  const TraceFile file(packed, "bomb.json.gz");
  const auto source = open_bytes(file.path());
  EventReader reader(*source);
  int events = 0;
  for (TraceEvent event; reader.next(event);) ++events;
  EXPECT_EQ(events, 1);
  EXPECT_EQ(reader.read().bytes, kPart * kParts + 4);
}

TEST(HostileTrace, TextsThatAreNoTraceAreRefused) {
  for (const char* text : {"", "x", "{}", "\0\0\0", "{\"traceEvents\": 5}", "{\"traceEvents\": []}", "[]", "[1,2,3]",
                           "[{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":0,\"ts\":1,\"dur\":NaN}]"}) {
    EXPECT_THROW(import_trace(TraceFile(text).path()), Error) << text;
  }
}

TEST(HostileTrace, EventsWithoutAUsableTimeAreCountedAndLeftOut) {
  MadeTrace made;
  std::string text = made.compute(0, 10).compute(20, 10).text();
  text.insert(text.find("[") + 1,
              R"({"ph":"X","cat":"kernel","name":"k","pid":0,"ts":5,"dur":-3},
                 {"ph":"X","cat":"kernel","name":"k","pid":0,"ts":5,"dur":NaN},
                 {"ph":"X","cat":"kernel","name":"k","pid":0,"dur":3},
                 {"ph":"X","cat":"kernel","name":"k","ts":1,"dur":3},
                 {"ph":"X","cat":"kernel","name":"k","pid":"GPU","ts":1,"dur":3},)");
  const ImportedTrace trace = import_trace(TraceFile(text).path());
  EXPECT_EQ(trace.unusable_events, 5U);
  EXPECT_EQ(trace.ranks.at(0).kernels, 2U);
  EXPECT_DOUBLE_EQ(trace.ranks.at(0).step_s, 30e-6);
}

TEST(HostileTrace, TimesBeforeTheEpochAndFarApartKeepTheirSum) {
  MadeTrace made;
  made.compute(-50, 10).compute(3.9e15, 5).collective(-45, 10);
  const TraceRank rank = import_trace(TraceFile(made.text()).path()).ranks.at(0);
  double sum_s = 0;
  for (const auto& part : rank.parts) sum_s += part.value_or(0);
  EXPECT_NEAR(sum_s, rank.step_s, 1e-9 * rank.step_s);
  EXPECT_NEAR(at(rank.parts, TracePart::communication).value(), 5e-6, 1e-12);
}

TEST(HostileTrace, TimesAtBothEndsOfWhatIsAllowedDoNotOverflow) {
  MadeTrace made;
  made.compute(-3.9e15, 10).compute(3.9e15, 9.9e14).compute(0, 1.1e15);
  const ImportedTrace trace = import_trace(TraceFile(made.text()).path());
  EXPECT_EQ(trace.unusable_events, 1U);
  EXPECT_NEAR(trace.ranks.at(0).step_s, (3.9e15 * 2 + 9.9e14) * 1e-6, 1e6);
  EXPECT_GT(at(trace.ranks[0].parts, TracePart::unexplained).value(), 0);
}

TEST(HostileTrace, MillionsOfStepsAndLongNamesStayBounded) {
  MadeTrace made;
  for (int i = 0; i < 150'000; ++i) made.step(i, i, 1);
  made.event("kernel", "x" + std::string(300'000, 'y'), 0, 0, 5);
  const ImportedTrace trace = import_trace(TraceFile(made.text()).path());
  EXPECT_EQ(trace.ranks.at(0).steps.size(), StepMarks::kMost);
  EXPECT_EQ(trace.unusable_events, 150'000 - StepMarks::kMost);
  EXPECT_EQ(trace.unrecognised_names.at(0).size(), KernelNames::kLongest_bytes);
}

TEST(HostileTrace, ThousandsOfDevicesAndNamesStayBounded) {
  MadeTrace made;
  for (int i = 0; i < 5000; ++i) made.event("kernel", fmt::format("mystery{}", i), i, i, 0.5);
  const ImportedTrace trace = import_trace(TraceFile(made.text()).path());
  EXPECT_EQ(trace.ranks.size(), Timeline::kMostDevices);
  EXPECT_EQ(trace.unrecognised_names.size(), KernelNames::kUnrecognisedKept);
}

}  // namespace stash
