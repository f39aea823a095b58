#include "stash/launch/collector.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "stash/core/profile_json.h"

namespace stash {
namespace {

using nlohmann::json;

std::string event(const char* name, json content = json::object()) {
  content["event"] = name;
  return content.dump();
}

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
  collector.take(0, event("phase", {{"text", "warming up"}}));
  EXPECT_EQ(collector.phase(), "warming up");
  collector.take(0, event("layers", {{"rows", {to_json(layer)}}}));
  collector.take(0, event("buckets", {{"rows", {to_json(bucket)}}}));
  collector.take(0, event("pilot", {{"edge_s", 0.001}, {"round_s", 3.5}}));
  collector.take(0, event("window", {{"window", to_json(some_window())}}));
  collector.take(1, event("collectives", {{"rows", {to_json(collective)}}}));
  collector.take(1, event("input", {{"counters", to_json(counters)}}));
  collector.take(0, event("loss", {{"loss", 6.5}}));
  collector.take(1, event("warning", {{"text", "memory could not be pinned"}}));
  EXPECT_FALSE(collector.stopped());
  collector.take(0, event("stopped", {{"by", "time"}}));

  const Profile& profile = collector.profile();
  EXPECT_EQ(profile.layers, std::vector<LayerTime>{layer});
  EXPECT_EQ(profile.buckets, std::vector<Bucket>{bucket});
  EXPECT_EQ(profile.edge_s, 0.001);
  EXPECT_EQ(collector.round_s(), 3.5);
  EXPECT_EQ(profile.windows, std::vector<Window>{some_window()});
  EXPECT_EQ(profile.collectives, std::vector<CollectiveSummary>{collective});
  EXPECT_EQ(profile.inputs, std::vector<InputCounters>{counters});
  EXPECT_EQ(profile.loss, 6.5);
  EXPECT_EQ(profile.warnings, std::vector<std::string>{"memory could not be pinned"});
  EXPECT_EQ(profile.stopped_by, StoppedBy::time);
  EXPECT_TRUE(collector.stopped());
}

TEST(Collector, RanksTracesOfAWindowComeTogether) {
  const RankTrace first{.rank = 0, .host = {{SpanKind::step, 0, 10, 0, ""}}};
  const RankTrace second{.rank = 1, .host = {{SpanKind::collective, 2, 3, 8, "allreduce"}}, .left_out = 5};
  const auto line = [](const char* condition, const RankTrace& trace) {
    return event("trace", {{"round", 1}, {"condition", condition}, {"trace", to_json(trace)}});
  };
  Collector collector(Profile{});
  collector.take(0, line("node", first));
  collector.take(0, line("solo", first));
  collector.take(0, line("node", second));
  const std::vector<WindowTrace> expected{{1, Condition::node, {first, second}}, {1, Condition::solo, {first}}};
  EXPECT_EQ(collector.profile().traces, expected);
  collector.take(0, line("lunch", first));
  EXPECT_EQ(collector.profile().traces, expected);
  EXPECT_EQ(collector.profile().warnings.size(), 1);
}

TEST(Collector, TheMachineIsRankZeros) {
  Collector collector(Profile{});
  const json machine{{"versions", {{"torch", "2.13.0"}}}, {"gpus", {{{"name", "H200"}, {"memory_bytes", 150}}}}};
  collector.take(1, event("machine", {{"machine", machine}}));
  EXPECT_TRUE(collector.profile().machine.gpus.empty());
  collector.take(0, event("machine", {{"machine", machine}}));
  ASSERT_EQ(collector.profile().machine.gpus.size(), 1U);
  EXPECT_EQ(collector.profile().machine.gpus[0].memory_bytes, 150);
  EXPECT_EQ(collector.profile().machine.versions.at("torch"), "2.13.0");
}

TEST(Collector, WhatCannotBeUnderstoodBecomesAWarningThatNamesTheRank) {
  for (const std::string& line :
       {std::string("Segmentation fault"), std::string(), std::string("{}"), std::string("[1]"), event("window"),
        event("window", {{"window", 3}}), event("phase", {{"text", 3}}), std::string("{\"event\": 3}"),
        std::string("\xff\xfe{")}) {
    Collector collector(Profile{});
    collector.take(3, line);
    ASSERT_EQ(collector.profile().warnings.size(), 1U) << line;
    EXPECT_NE(collector.profile().warnings[0].find("rank 3"), std::string::npos) << collector.profile().warnings[0];
  }
}

TEST(Collector, AnErrorIsKeptWithItsKindAndTheFirstOneCounts) {
  Collector collector(Profile{});
  collector.take(1, event("error", {{"kind", "memory"}, {"message", "2 GB were there"}}));
  collector.take(1, event("error", {{"kind", "peer"}, {"message", "connection reset"}}));
  ASSERT_EQ(collector.errors().size(), 1U);
  EXPECT_EQ(collector.errors().at(1).kind, "memory");
  EXPECT_EQ(collector.errors().at(1).message, "2 GB were there");
}

TEST(Collector, AnUnknownReasonToStopIsAFault) {
  Collector collector(Profile{});
  collector.take(0, event("stopped", {{"by", "boredom"}}));
  EXPECT_EQ(collector.profile().stopped_by, StoppedBy::fault);
}

}  // namespace
}  // namespace stash
