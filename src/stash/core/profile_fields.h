#pragma once

#include "stash/core/job_fields.h"
#include "stash/core/json_fields.h"
#include "stash/core/profile.h"
#include "stash/core/script_facts_fields.h"
#include "stash/core/script_work_fields.h"

// The keys of a profile and of what it is made of.
namespace stash {

template <class V, json_fields::FieldsOf<RankTrace> T>
void fields(V& visit, T& trace) {
  visit("rank", trace.rank, 0);
  visit("host", trace.host);
  visit("device", trace.device);
  visit("left_out", trace.left_out, 0);
}

template <class V, json_fields::FieldsOf<WindowTrace> T>
void fields(V& visit, T& trace) {
  visit("round", trace.round, 0);
  visit("condition", trace.condition);
  visit("ranks", trace.ranks);
}

template <class V, json_fields::FieldsOf<GpuInfo> T>
void fields(V& visit, T& gpu) {
  visit("name", gpu.name);
  visit("memory_bytes", gpu.memory_bytes, 0);
}

template <class V, json_fields::FieldsOf<Machine> T>
void fields(V& visit, T& machine) {
  visit("hostname", machine.hostname);
  visit("cpu", machine.cpu);
  visit("cores", machine.cores, 0);
  visit("memory_bytes", machine.memory_bytes, 0);
  visit("gpus", machine.gpus);
  visit("kernel", machine.kernel);
  visit("disk", machine.disk);
  visit("versions", machine.versions);
}

template <class V, json_fields::FieldsOf<RankSample> T>
void fields(V& visit, T& sample) {
  visit("wall_s", sample.wall_s, 0);
  visit("input_wait_s", sample.input_wait_s, 0);
  visit("collective_s", sample.collective_s, 0);
  visit("behind_s", sample.behind_s);
}

template <class V, json_fields::FieldsOf<Window> T>
void fields(V& visit, T& window) {
  visit("round", window.round, 0);
  visit("condition", window.condition);
  visit("steps", window.steps, 1);
  visit("ranks", window.ranks);
  visit("resident_ratio", window.resident_ratio, 0);
  visit("queued_start_samples", window.queued_start_samples, 0);
  visit("queued_end_samples", window.queued_end_samples, 0);
  json_fields::Nullable variant{window.variant};
  visit.or_default("variant", variant);
}

template <class V, json_fields::FieldsOf<LayerTime> T>
void fields(V& visit, T& layer) {
  visit("name", layer.name);
  visit("op", layer.op);
  visit("parameters", layer.parameters, 0);
  visit("forward_ops", layer.forward_ops, 0);
  visit("backward_ops", layer.backward_ops, 0);
  visit("forward_bytes", layer.forward_bytes, 0);
  visit("backward_bytes", layer.backward_bytes, 0);
  visit("forward_s", layer.forward_s, 0);
  visit("backward_s", layer.backward_s, 0);
}

template <class V, json_fields::FieldsOf<RankPlace> T>
void fields(V& visit, T& place) {
  visit("host", place.host);
  visit("node", place.node, 0);
}

template <class V, json_fields::FieldsOf<LinkTime> T>
void fields(V& visit, T& row) {
  visit("scope", row.scope);
  visit("op", row.op);
  visit("node", row.node, 0);
  visit("other", row.other, 0);
  visit("ranks", row.ranks, 1);
  visit("bytes", row.bytes, 0);
  visit("repeats", row.repeats, 0);
  visit("s", row.s, 0);
  visit("low_s", row.low_s, 0);
  visit("high_s", row.high_s, 0);
}

template <class V, json_fields::FieldsOf<Bucket> T>
void fields(V& visit, T& bucket) {
  visit("bytes", bucket.bytes, 0);
  visit("parameters", bucket.parameters, 0);
}

template <class V, json_fields::FieldsOf<CollectiveSummary> T>
void fields(V& visit, T& summary) {
  visit("rank", summary.rank, 0);
  visit("condition", summary.condition);
  visit("op", summary.op);
  visit("bytes", summary.bytes, 0);
  visit("count", summary.count, 0);
  visit("total_s", summary.total_s, 0);
  visit("min_s", summary.min_s, 0);
  visit("max_s", summary.max_s, 0);
  visit.or_default("group", summary.group);
}

template <class V, json_fields::FieldsOf<CommGroup> T>
void fields(V& visit, T& group) {
  visit("name", group.name);
  visit("used_by", group.used_by);
  visit("groups", group.groups, 1);
  visit("ranks", group.ranks, 1);
  visit("ranks_per_node", group.ranks_per_node, 1);
  visit("between_nodes", group.between_nodes);
  json_fields::Nullable left_out{group.left_out};
  visit.or_default("left_out", left_out);
}

template <class V, json_fields::FieldsOf<TriedFix> T>
void fields(V& visit, T& tried) {
  visit("fix", tried.fix);
  json_fields::Nullable left_out{tried.left_out};
  visit.or_default("left_out", left_out);
}

template <class V, json_fields::FieldsOf<InputCounters> T>
void fields(V& visit, T& counters) {
  visit("rank", counters.rank, 0);
  visit("samples", counters.samples, 0);
  visit("read_bytes", counters.read_bytes, 0);
  visit("cold_bytes", counters.cold_bytes, 0);
  visit("read_s", counters.read_s, 0);
  visit("decode_s", counters.decode_s, 0);
  visit("augment_s", counters.augment_s, 0);
  visit.or_default("injected_s", counters.injected_s, 0);
  visit("skipped", counters.skipped, 0);
  visit("skipped_files", counters.skipped_files);
}

template <class V, json_fields::FieldsOf<Profile> T>
void fields(V& visit, T& profile) {
  visit("job", profile.job);
  visit("machine", profile.machine);
  visit.or_default("places", profile.places);
  visit("windows", profile.windows);
  visit.or_default("variant_windows", profile.variant_windows);
  visit("edge_s", profile.edge_s, 0);
  visit("clocks_s", profile.clocks_s, 0);
  visit("layers", profile.layers);
  visit("script", profile.script);
  visit("work", profile.work);
  visit("buckets", profile.buckets);
  visit.or_default("groups", profile.groups);
  visit.or_default("tried", profile.tried);
  visit("collectives", profile.collectives);
  visit("inputs", profile.inputs);
  visit.or_default("links", profile.links);
  visit.or_default("traces", profile.traces);
  visit("dataset_samples", profile.dataset_samples, 0);
  visit("dataset_bytes", profile.dataset_bytes, 0);
  visit("cache_bytes", profile.cache_bytes, 0);
  visit("loss", profile.loss);
  visit("stopped_by", profile.stopped_by);
  visit("complete", profile.complete);
  visit("elapsed_s", profile.elapsed_s, 0);
  visit("stolen_ratio", profile.stolen_ratio);
  visit("warnings", profile.warnings);
}

}  // namespace stash
