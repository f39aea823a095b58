#include "stash/import/trace_report.h"

#include <gtest/gtest.h>

#include "made_trace.h"
#include "support/any_contains.h"

namespace stash {
namespace {

using testing_support::MadeTrace;
using testing_support::TraceFile;

// Steps of 100 µs, of which `compute_us` compute; then the rank is in a collective.
MadeTrace rank_with(double compute_us) {
  MadeTrace trace;
  for (int i = 0; i < 4; ++i) {
    trace.step(i, i * 100, 100).input(i * 100, 1).compute(i * 100, compute_us);
    trace.collective(i * 100 + compute_us, 100 - compute_us);
  }
  return trace;
}

}  // namespace

TEST(TraceReport, RanksAreInOrderAndTheirMeansSumToTheStep) {
  const TraceFile second(rank_with(60).of_rank(1, 2), "b.json"), first(rank_with(80).of_rank(0, 2), "a.json");
  const std::filesystem::path paths[] = {second.path(), first.path()};
  const TraceReport report = import_traces(paths);
  EXPECT_EQ(report.traces[0].ranks[0].rank, 0);
  EXPECT_EQ(report.traces[1].ranks[0].rank, 1);
  EXPECT_NEAR(at(report.parts, TracePart::compute).value(), 70e-6, 1e-12);
  EXPECT_NEAR(at(report.parts, TracePart::communication).value(), 30e-6, 1e-12);
  EXPECT_NEAR(report.step_s, 100e-6, 1e-12);
  EXPECT_NEAR(report.explained_ratio, 1, 1e-9);
}

TEST(TraceReport, TheRankThatWorksLongestIsLate) {
  const TraceFile a(rank_with(60).of_rank(0, 3)), b(rank_with(62).of_rank(1, 3)), c(rank_with(90).of_rank(2, 3));
  const std::filesystem::path all[] = {a.path(), b.path(), c.path()}, alike[] = {a.path(), b.path()};
  const TraceReport report = import_traces(all);
  ASSERT_TRUE(report.late_rank);
  EXPECT_EQ(report.late_rank->rank, 2);
  EXPECT_NEAR(report.late_rank->s, 28e-6, 1e-12);
  EXPECT_FALSE(import_traces(alike).late_rank);
}

TEST(TraceReport, TracesThatDoNotSayTheirRankAreNumbered) {
  const TraceFile a(rank_with(60).text()), b(rank_with(60).of_rank(0, 2));
  const std::filesystem::path paths[] = {a.path(), b.path()};
  const TraceReport report = import_traces(paths);
  EXPECT_EQ(report.traces[0].ranks[0].rank, 0);
  EXPECT_TRUE(report.traces[0].rank_known);
  EXPECT_EQ(report.traces[1].ranks[0].rank, 1);
}

TEST(TraceReport, WarnsOfWhatMakesItsFiguresWeaker) {
  MadeTrace made;
  made.compute(0, 10).event("kernel", "my_secret_op", 0, 20, 10).compute(1000, 1);
  std::string text = made.of_rank(0, 8);
  text.resize(text.size() - 20);
  const TraceFile file(text), again(text);
  const std::filesystem::path paths[] = {file.path(), again.path()};
  const TraceReport report = import_traces(paths);
  for (const char* part : {"ends too early", "my_secret_op", "marks no steps", "no collective",
                           "marks no wait for input", "% of a step unexplained", "both say that they are rank 0"}) {
    EXPECT_TRUE(any_contains(report.warnings, part)) << part;
  }
}

}  // namespace stash
