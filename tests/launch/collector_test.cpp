#include "stash/launch/collector.h"

#include <gtest/gtest.h>

namespace stash {
namespace {

Window some_window() {
  Window window;
  window.condition = Condition::node;
  window.steps = 4;
  window.ranks = {RankSample{.wall_s = 0.5}, std::nullopt};
  return window;
}

TEST(Collector, PutsAProfileTogetherFromLines) {
  Collector collector(Profile{});
  const LayerTime layer{.name = "conv1", .op = "conv2d", .forward_s = 0.25, .backward_s = std::nullopt};
  const Bucket bucket{.bytes = 1000, .parameters = 3};
  const CollectiveSummary collective{.rank = 1, .op = "allreduce", .bytes = 8, .count = 2};
  const InputCounters counters{.rank = 1, .samples = 64, .skipped_files = {"a.jpg"}};
  collector.take(0, to_line(PhaseEvent{"warming up"}));
  EXPECT_EQ(collector.phase(), "warming up");
  EXPECT_EQ(collector.rounds_start_ns(), std::nullopt);
  collector.take(0, to_line(LayersEvent{{layer}}));
  collector.take(0, to_line(BucketsEvent{{bucket}}));
  collector.take(0, to_line(PilotEvent{.edge_s = 0.001, .round_s = 3.5, .rounds_start_ns = 17}));
  collector.take(0, to_line(WindowEvent{some_window()}));
  collector.take(1, to_line(CollectivesEvent{{collective}}));
  collector.take(1, to_line(InputEvent{counters}));
  collector.take(0, to_line(LossEvent{6.5}));
  collector.take(1, to_line(WarningEvent{.rank = 1, .text = "memory could not be pinned"}));
  EXPECT_FALSE(collector.stopped());
  collector.take(0, to_line(StoppedEvent{StoppedBy::time}));

  const Profile profile = collector.finished();
  EXPECT_EQ(profile.layers, std::vector<LayerTime>{layer});
  EXPECT_EQ(profile.buckets, std::vector<Bucket>{bucket});
  EXPECT_EQ(profile.edge_s, 0.001);
  EXPECT_EQ(collector.round_s(), 3.5);
  EXPECT_EQ(collector.rounds_start_ns(), 17);
  EXPECT_EQ(profile.windows, std::vector<Window>{some_window()});
  EXPECT_EQ(profile.collectives, std::vector<CollectiveSummary>{collective});
  EXPECT_EQ(profile.inputs, std::vector<InputCounters>{counters});
  EXPECT_EQ(profile.loss, 6.5);
  EXPECT_EQ(profile.warnings, std::vector<std::string>{"rank 1: memory could not be pinned"});
  EXPECT_EQ(profile.stopped_by, StoppedBy::time);
  EXPECT_TRUE(collector.stopped());
}

TEST(Collector, RanksTracesOfAWindowComeTogether) {
  const RankTrace first{.rank = 0, .host = {{SpanKind::step, 0, 10, 0, ""}}};
  const RankTrace second{.rank = 1, .host = {{SpanKind::collective, 2, 3, 8, "allreduce"}}, .left_out = 5};
  Collector collector(Profile{});
  collector.take(0, RankTraceEvent{1, Condition::node, first});
  collector.take(0, RankTraceEvent{1, Condition::solo, first});
  collector.take(0, RankTraceEvent{1, Condition::node, second});
  const std::vector<WindowTrace> expected{{1, Condition::node, {first, second}}, {1, Condition::solo, {first}}};
  EXPECT_EQ(collector.profile().traces, expected);
}

TEST(Collector, TheMachineIsRankZeros) {
  Collector collector(Profile{});
  const MachineEvent machine{.versions = {{"torch", "2.13.0"}}, .gpus = {{.name = "H200", .memory_bytes = 150}}};
  collector.take(1, machine);
  EXPECT_TRUE(collector.profile().machine.gpus.empty());
  collector.take(0, machine);
  ASSERT_EQ(collector.profile().machine.gpus.size(), 1U);
  EXPECT_EQ(collector.profile().machine.gpus[0].memory_bytes, 150);
  EXPECT_EQ(collector.profile().machine.versions.at("torch"), "2.13.0");
}

TEST(Collector, WhatCannotBeUnderstoodBecomesAWarningThatNamesTheRank) {
  for (const std::string line :
       {"Segmentation fault", "", "{}", "[1]", R"({"event": "window"})", R"({"event": "window", "window": 3})",
        R"({"event": "phase", "text": 3})", R"({"event": 3})", "\xff\xfe{"}) {
    Collector collector(Profile{});
    collector.take(3, line);
    const std::vector<std::string> warnings = collector.finished().warnings;
    ASSERT_EQ(warnings.size(), 1U) << line;
    EXPECT_NE(warnings[0].find("rank 3"), std::string::npos) << warnings[0];
  }
}

TEST(Collector, AnUnknownEventIsAWarningAndNotDropped) {
  Collector collector(Profile{});
  collector.take(1, R"({"event": "lunch", "text": "soup"})");
  const std::vector<std::string> warnings = collector.finished().warnings;
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_NE(warnings[0].find("there is no event 'lunch'"), std::string::npos) << warnings[0];
}

TEST(Collector, TheSameWarningOfEveryRankIsSaidOnce) {
  Profile profile;
  profile.job.ranks = 3;
  Collector collector(profile);
  for (const int rank : {0, 1, 2}) {
    collector.take(0, WarningEvent{rank, "memory could not be pinned"});
    if (rank != 1) collector.take(0, WarningEvent{rank, "the disk is slow"});
  }
  collector.take(0, WarningEvent{2, "the disk is slow"});
  EXPECT_EQ(collector.finished().warnings,
            (std::vector<std::string>{"memory could not be pinned", "ranks 0, 2: the disk is slow"}));
}

TEST(Collector, AnErrorIsKeptWithItsKindAndTheFirstOneCounts) {
  Collector collector(Profile{});
  collector.take(1, ErrorEvent{.kind = FaultKind::memory, .message = "2 GB were there", .lost = {}});
  collector.take(1, ErrorEvent{.kind = FaultKind::peer, .message = "connection reset", .lost = {}});
  ASSERT_EQ(collector.errors().size(), 1U);
  EXPECT_EQ(collector.errors().at(1).kind, FaultKind::memory);
  EXPECT_EQ(collector.errors().at(1).message, "2 GB were there");
}

TEST(Collector, AnUnknownReasonToStopIsAFault) {
  Collector collector(Profile{});
  collector.take(0, R"({"event": "stopped", "by": "boredom"})");
  EXPECT_EQ(collector.finished().stopped_by, StoppedBy::fault);
  EXPECT_FALSE(collector.stopped());
}

}  // namespace
}  // namespace stash
