#include "stash/import/trace_ledger.h"

#include <gtest/gtest.h>

#include "made_trace.h"

namespace stash {
namespace {

using testing_support::gzipped;
using testing_support::MadeTrace;
using testing_support::TraceFile;

TraceRank only_rank(const std::string& text) {
  const ImportedTrace trace = import_trace(TraceFile(text).path());
  EXPECT_EQ(trace.ranks.size(), 1U);
  return trace.ranks.at(0);
}

double us(const TraceParts& parts, TracePart part) { return at(parts, part).value() * 1e6; }

// Two steps of 100 µs: a batch, a copy, compute, a collective of which 20 are hidden, a gap with an operator, a gap.
MadeTrace two_steps() {
  MadeTrace trace;
  for (const int start : {1000, 1100}) {
    trace.step(start / 100, start, 100).input(start, 10).copy(start + 8, 12).compute(start + 20, 40);
    trace.collective(start + 40, 35).op(start + 70, 15).compute(start + 85, 10);
  }
  return trace;
}

void expect_the_two_steps(const TraceRank& rank) {
  ASSERT_EQ(rank.steps.size(), 2U);
  EXPECT_NEAR(rank.step_s, 100e-6, 1e-12);
  for (const TraceStep& step : rank.steps) {
    EXPECT_NEAR(us(step.parts, TracePart::compute), 50, 1e-6);
    EXPECT_NEAR(us(step.parts, TracePart::communication), 15, 1e-6);
    EXPECT_NEAR(us(step.parts, TracePart::copy), 12, 1e-6);
    EXPECT_NEAR(us(step.parts, TracePart::input), 8, 1e-6);
    EXPECT_NEAR(us(step.parts, TracePart::launch), 10, 1e-6);
    EXPECT_NEAR(us(step.parts, TracePart::unexplained), 5, 1e-6);
  }
  EXPECT_NEAR(rank.communication_s, 35e-6, 1e-12);
  EXPECT_NEAR(rank.explained_ratio(), 0.95, 1e-9);
}

}  // namespace

TEST(TraceLedger, EveryMomentOfAStepHasOneCause) {
  const TraceRank rank = only_rank(two_steps().text());
  EXPECT_EQ(rank.step_source, StepSource::profiler);
  EXPECT_EQ(rank.device, 0);
  EXPECT_EQ(rank.kernels, 6U);
  EXPECT_EQ(rank.collectives, 2U);
  expect_the_two_steps(rank);
}

TEST(TraceLedger, AGzipFileTellsTheSame) { expect_the_two_steps(only_rank(gzipped(two_steps().text()))); }

TEST(TraceLedger, OldCategoriesAndKernelNamesTellTheSame) {
  std::string text = two_steps().text();
  const auto replace = [&](const std::string& from, const std::string& to) {
    for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
      text.replace(at, from.size(), to);
    }
  };
  replace("\"kernel\"", "\"Kernel\"");
  replace("\"gpu_memcpy\"", "\"Memcpy\"");
  replace("\"cpu_op\"", "\"Operator\"");
  replace("\"user_annotation\"", "\"Operator\"");
  replace("ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
          "ncclKernel_AllReduce_RING_LL_Sum_float(ncclWorkElem)");
  expect_the_two_steps(only_rank(text));
}

TEST(TraceLedger, KernelsOfSeveralStreamsThatOverlapCountOnce) {
  MadeTrace trace;
  trace.compute(0, 50).compute(25, 50).collective(60, 40).collective(80, 40);
  const TraceRank rank = only_rank(trace.text());
  EXPECT_EQ(rank.step_source, StepSource::whole);
  EXPECT_NEAR(us(rank.parts, TracePart::compute), 75, 1e-6);
  EXPECT_NEAR(us(rank.parts, TracePart::communication), 45, 1e-6);
}

TEST(TraceLedger, EventsMayComeInAnyOrder) {
  MadeTrace backwards;
  for (const int start : {1100, 1000}) {
    backwards.compute(start + 85, 10).op(start + 70, 15).collective(start + 40, 35).compute(start + 20, 40);
    backwards.copy(start + 8, 12).input(start, 10).step(start / 100, start, 100);
  }
  expect_the_two_steps(only_rank(backwards.text()));
}

TEST(TraceLedger, WhatATraceDoesNotMarkIsAbsentNotZero) {
  MadeTrace trace;
  trace.compute(0, 10).compute(20, 10);
  const TraceRank rank = only_rank(trace.text());
  EXPECT_FALSE(at(rank.parts, TracePart::communication));
  EXPECT_FALSE(at(rank.parts, TracePart::input));
  EXPECT_FALSE(at(rank.parts, TracePart::copy));
  EXPECT_NEAR(us(rank.parts, TracePart::unexplained), 10, 1e-6);
}

// The CPU is done after 20 µs a step while the GPU works 100.
TEST(TraceLedger, StepsOfAGpuThatRunsBehindAreThoseMarkedOnIt) {
  MadeTrace trace;
  for (int i = 0; i < 3; ++i) {
    const double gpu = 10 + i * 100;
    trace.step(i, i * 20, 20).compute(gpu, 80).collective(gpu + 80, 20);
    trace.event("gpu_user_annotation", fmt::format("ProfilerStep#{}", i), 0, gpu, 80);
    trace.event("gpu_user_annotation", fmt::format("ProfilerStep#{}", i), 0, gpu + 80, 20);
  }
  const TraceRank rank = only_rank(trace.text());
  EXPECT_TRUE(rank.marked_on_gpu);
  ASSERT_EQ(rank.steps.size(), 3U);
  EXPECT_NEAR(rank.steps[0].s, 110e-6, 1e-12);  // from its start on the CPU
  EXPECT_NEAR(rank.steps[2].s, 100e-6, 1e-12);
  EXPECT_NEAR(us(rank.parts, TracePart::compute), 80, 1e-6);
  EXPECT_NEAR(us(rank.parts, TracePart::communication), 20, 1e-6);
}

TEST(TraceLedger, WorkBehindTheLastMarkOnTheCpuIsStillTheLastSteps) {
  MadeTrace trace;
  trace.step(1, 0, 20).step(2, 20, 20).compute(10, 90).compute(100, 100);
  const TraceRank rank = only_rank(trace.text());
  EXPECT_NEAR(rank.step_s, 100e-6, 1e-12);
  EXPECT_NEAR(us(rank.parts, TracePart::compute), 95, 1e-6);
}

TEST(TraceLedger, WithoutAProfilersStepsTheOptimizersCount) {
  MadeTrace trace;
  for (int i = 0; i < 4; ++i) {
    trace.compute(i * 50, 30).event("user_annotation", "Optimizer.step#SGD.step", 99, i * 50 + 40, 10);
  }
  const TraceRank rank = only_rank(trace.text());
  EXPECT_EQ(rank.step_source, StepSource::optimizer);
  EXPECT_EQ(rank.steps.size(), 4U);
  EXPECT_NEAR(us(rank.parts, TracePart::compute), 30, 1e-6);
}

TEST(TraceLedger, EveryGpuOfAProcessHasItsOwn) {
  MadeTrace trace;
  trace.compute(0, 10).event("kernel", "ampere_sgemm", 1, 0, 20).event("gpu_memcpy", "Memcpy", 2, 0, 5);
  const ImportedTrace found = import_trace(TraceFile(trace.text()).path());
  ASSERT_EQ(found.ranks.size(), 2U);
  EXPECT_EQ(found.ranks[1].device, 1);
  EXPECT_NEAR(found.ranks[1].step_s, 20e-6, 1e-12);
}

TEST(TraceLedger, WithoutAGpuOperatorsAreTheCompute) {
  MadeTrace trace;
  trace.step(1, 0, 100).input(0, 20).op(5, 5).op(20, 50).event("user_annotation", "gloo:all_reduce", 99, 60, 30);
  const TraceRank rank = only_rank(trace.text());
  EXPECT_FALSE(rank.device);
  EXPECT_NEAR(us(rank.parts, TracePart::input), 20, 1e-6);
  EXPECT_NEAR(us(rank.parts, TracePart::compute), 50, 1e-6);
  EXPECT_NEAR(us(rank.parts, TracePart::communication), 20, 1e-6);
  EXPECT_NEAR(us(rank.parts, TracePart::unexplained), 10, 1e-6);
  EXPECT_FALSE(at(rank.parts, TracePart::launch));
}

}  // namespace stash
