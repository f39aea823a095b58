#pragma once

#include "stash/core/profile.h"

namespace stash::testing_support {

// A profile in which every field differs from its default.
inline Profile sample_profile() {
  Profile profile;
  profile.job.model = "resnet50";
  profile.job.batch = 64;
  profile.job.seq_len = 128;
  profile.job.device = "emulated:v100";
  profile.job.channels_last = true;
  profile.job.data = "images \u00e9 \"quoted\"";
  profile.job.conditions = {Condition::solo, Condition::apart, Condition::cold};
  profile.job.precision_ratio = 0.013;
  profile.job.seed = 18446744073709551615u;
  profile.job.inject.read_bytes_per_s = 20e6;
  profile.job.inject.rank_delay_s = {{1, 0.1 + 0.2}};
  profile.machine = {"host",
                     "a CPU",
                     2,
                     8'000'000'000,
                     {{"V100", 16'000'000'000}, {"odd", std::nullopt}},
                     "6.1",
                     "vda ext4",
                     {{"torch", "2.13.0"}}};
  Window window{3, Condition::solo, 7, {RankSample{1.0 / 3, 0.1, 0.05, 0.004}, std::nullopt}, 0.25, 64.0, std::nullopt};
  profile.places = {{"a", 0}, {"b", 1}};
  profile.windows = {window, window};
  window.variant = "off:tp";
  profile.variant_windows = {window};
  profile.clocks_s = 4e-5;
  profile.links = {{"pair", "exchange", 0, 1, 2, 1 << 20, 5, 0.01, 0.009, 0.012}};
  const Span step{SpanKind::step, 3, 90'000, 0, ""};
  const Span collective{SpanKind::collective, 40'000, 25'000, 1 << 20, "allreduce", "tp"};
  profile.traces = {{1, Condition::apart, {{1, {step, collective}, {{SpanKind::forward, 20, 30'000, 0, ""}}, 4}}}};
  profile.stolen_ratio = 0.01;
  profile.edge_s = 0.0005;
  profile.layers = {{"conv1", "conv2d", 9408, 1e9, 2e9, 3e6, 4e6, 0.001, std::nullopt}};
  profile.buckets = {{1 << 20, 17}};
  profile.collectives = {{1, Condition::joined, "allreduce", 1 << 20, 12, 0.5, 0.01, 0.1, "tp"}};
  profile.groups = {{"tp", {"DDP"}, 2, 3, 2, true, "it has one rank"}};
  profile.inputs = {{1, 640, 70'400'000, 1'000'000, 0.5, 3.5, 0.7, 1, {"n01/broken.JPEG"}}};
  profile.loss = 6.9;
  profile.stopped_by = StoppedBy::interrupted;
  profile.complete = true;
  profile.elapsed_s = 31.5;
  profile.warnings = {"the machine was busy"};
  return profile;
}

}  // namespace stash::testing_support
