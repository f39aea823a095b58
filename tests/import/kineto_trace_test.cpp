#include "kineto_trace.h"

#include <gtest/gtest.h>

#include "made_trace.h"
#include "stash/import/trace_report.h"

namespace stash {
namespace {

using testing_support::gzipped;
using testing_support::KinetoStyle;
using testing_support::KinetoTrace;
using testing_support::TraceFile;

TraceReport imported(const std::string& text) {
  const TraceFile file(text);
  const std::filesystem::path paths[] = {file.path()};
  return import_traces(paths);
}

void expect_the_ledger(const TraceRank& rank) {
  EXPECT_EQ(rank.rank, 1);
  EXPECT_EQ(rank.device, 0);
  EXPECT_EQ(rank.step_source, StepSource::profiler);
  EXPECT_TRUE(rank.marked_on_gpu);
  ASSERT_EQ(rank.steps.size(), 2U);
  EXPECT_EQ(rank.collectives, 2U);
  for (const TraceStep& step : rank.steps) {
    EXPECT_NEAR(at(step.parts, TracePart::compute).value(), 660e-6, 1e-12);
    EXPECT_NEAR(at(step.parts, TracePart::communication).value(), 140e-6, 1e-12);
    EXPECT_NEAR(at(step.parts, TracePart::copy).value(), 60e-6, 1e-12);
    EXPECT_NEAR(at(step.parts, TracePart::input).value(), 100e-6, 1e-12);
    EXPECT_NEAR(at(step.parts, TracePart::launch).value(), 40e-6, 1e-12);
    EXPECT_NEAR(at(step.parts, TracePart::unexplained).value(), 0, 1e-12);
  }
}

}  // namespace

TEST(KinetoTrace, OfAGpuGivesItsLedgerAndCoverage) {
  const TraceReport report = imported(KinetoTrace().text());
  const ImportedTrace& trace = report.traces.at(0);
  expect_the_ledger(trace.ranks.at(0));
  EXPECT_EQ(trace.read.damaged, 0U);
  EXPECT_EQ(trace.unusable_events, 0U);
  EXPECT_EQ(trace.unknown_events, 0U);
  EXPECT_EQ(report.world_size, 4);
  EXPECT_EQ(report.kernels, 6U);
  EXPECT_EQ(report.recognised_kernels, 4U);
  EXPECT_NEAR(report.recognised_kernel_s / report.kernel_s, 1000.0 / 1060, 1e-9);
  EXPECT_EQ(trace.unrecognised_names, std::vector<std::string>{"my_secret_op"});
}

TEST(KinetoTrace, WholeMicrosecondsQuotesOldNamesAndGzipTellTheSame) {
  const char* const old_name = "ncclKernel_AllReduce_RING_LL_Sum_float(ncclDevComm*, unsigned long, ncclWork*)";
  for (const KinetoStyle& style :
       {KinetoStyle{.whole_us = true}, KinetoStyle{.quoted = true}, KinetoStyle{.all_reduce = old_name}}) {
    expect_the_ledger(imported(KinetoTrace(style).text()).traces.at(0).ranks.at(0));
  }
  expect_the_ledger(imported(gzipped(KinetoTrace().text())).traces.at(0).ranks.at(0));
}

// The CPU's events are all there, those of the GPU in part: without care the second step would be all launch.
TEST(KinetoTrace, CutInWhatTheGpuDidLeavesOutTheStepsThatMissKernels) {
  std::string text = KinetoTrace().text();
  text.resize(text.rfind("my_secret_op"));
  const TraceReport report = imported(text);
  const TraceRank& rank = report.traces.at(0).ranks.at(0);
  EXPECT_TRUE(report.traces[0].read.truncated);
  EXPECT_FALSE(rank.marked_on_gpu);
  ASSERT_EQ(rank.steps.size(), 1U);
  EXPECT_EQ(rank.steps_left_out, 1U);
  EXPECT_NEAR(rank.step_s, 1000e-6, 1e-12);
  EXPECT_NEAR(at(rank.parts, TracePart::compute).value(), 660e-6, 1e-12);
}

TEST(KinetoTrace, CutInItsFirstStepGivesThatStepUpToTheLastKernel) {
  std::string text = KinetoTrace().text();
  text.resize(text.find("my_secret_op"));
  const TraceRank rank = imported(text).traces.at(0).ranks.at(0);
  ASSERT_EQ(rank.steps.size(), 1U);
  EXPECT_EQ(rank.steps_left_out, 1U);
  EXPECT_NEAR(rank.step_s, 900e-6, 1e-12);
}

TEST(KinetoTrace, CutAnywhereNeverGivesMoreThanWasThere) {
  const std::string text = KinetoTrace().text();
  int usable = 0;
  for (std::size_t cut = 0; cut < text.size(); cut += 53) {
    const TraceFile file(text.substr(0, cut));
    try {
      const ImportedTrace trace = import_trace(file.path());
      EXPECT_TRUE(trace.read.truncated) << cut;
      for (const TraceRank& rank : trace.ranks) EXPECT_LE(rank.step_s, 1000e-6 + 1e-12) << cut;
      ++usable;
    } catch (const std::exception&) {
    }
  }
  EXPECT_GT(usable, 50);
}

TEST(KinetoTrace, CategoriesThatNobodyKnowsAreCountedAndNamed) {
  std::string text = KinetoTrace().text();
  for (std::size_t at = 0; (at = text.find("\"cuda_runtime\"", at)) != std::string::npos;) {
    text.replace(at, 14, "\"new_runtime\"");
  }
  const TraceReport report = imported(text);
  EXPECT_EQ(report.traces.at(0).unknown_events, 8U);
  EXPECT_EQ(report.traces.at(0).unknown_categories, std::vector<std::string>{"new_runtime"});
}

}  // namespace stash
