#include "stash/core/profile.h"

#include <fmt/format.h>

#include "stash/core/file.h"
#include "stash/core/job_fields.h"
#include "stash/core/profile_json.h"
#include "stash/core/version.h"

namespace stash {

namespace {

constexpr std::size_t kLimitFileBytes = 64u << 20;

template <class T>
T read_as(const nlohmann::json& json, std::string_view name) {
  T value;
  json_fields::read(json, json_fields::Path{nullptr, name}, value);
  return value;
}

}  // namespace

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
  visit("skipped", counters.skipped, 0);
  visit("skipped_files", counters.skipped_files);
}

template <class V, json_fields::FieldsOf<Profile> T>
void fields(V& visit, T& profile) {
  visit("job", profile.job);
  visit("machine", profile.machine);
  visit.or_default("places", profile.places);
  visit("windows", profile.windows);
  visit("edge_s", profile.edge_s, 0);
  visit("clocks_s", profile.clocks_s, 0);
  visit("layers", profile.layers);
  visit("buckets", profile.buckets);
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

std::string_view to_string(StoppedBy reason) {
  switch (reason) {
    case StoppedBy::precision:
      return "precision";
    case StoppedBy::time:
      return "time";
    case StoppedBy::interrupted:
      return "interrupted";
    case StoppedBy::fault:
      return "fault";
  }
  return "fault";
}

const std::string& host_of(const Profile& profile, int rank) {
  const auto place = static_cast<std::size_t>(rank);
  return place < profile.places.size() ? profile.places[place].host : profile.machine.hostname;
}

const std::string& host_of_node(const Profile& profile, int node) {
  for (const RankPlace& place : profile.places) {
    if (place.node == node) return place.host;
  }
  return profile.machine.hostname;
}

int count_nodes(const std::vector<RankPlace>& places) {
  int last = 0;
  for (const RankPlace& place : places) last = std::max(last, place.node);
  return last + 1;
}

nlohmann::json to_json(const Machine& machine) { return json_fields::write(machine); }
nlohmann::json to_json(const RankSample& sample) { return json_fields::write(sample); }
nlohmann::json to_json(const Window& window) { return json_fields::write(window); }
nlohmann::json to_json(const LayerTime& layer) { return json_fields::write(layer); }
nlohmann::json to_json(const LinkTime& row) { return json_fields::write(row); }
nlohmann::json to_json(const RankPlace& place) { return json_fields::write(place); }
nlohmann::json to_json(const Bucket& bucket) { return json_fields::write(bucket); }
nlohmann::json to_json(const CollectiveSummary& summary) { return json_fields::write(summary); }
nlohmann::json to_json(const InputCounters& counters) { return json_fields::write(counters); }

Machine machine_from_json(const nlohmann::json& json) { return read_as<Machine>(json, "machine"); }
RankSample rank_sample_from_json(const nlohmann::json& json) { return read_as<RankSample>(json, "sample"); }
Window window_from_json(const nlohmann::json& json) { return read_as<Window>(json, "window"); }
LayerTime layer_time_from_json(const nlohmann::json& json) { return read_as<LayerTime>(json, "layer"); }
LinkTime link_time_from_json(const nlohmann::json& json) { return read_as<LinkTime>(json, "link"); }
RankPlace rank_place_from_json(const nlohmann::json& json) { return read_as<RankPlace>(json, "place"); }
Bucket bucket_from_json(const nlohmann::json& json) { return read_as<Bucket>(json, "bucket"); }
CollectiveSummary collective_summary_from_json(const nlohmann::json& json) {
  return read_as<CollectiveSummary>(json, "collective");
}
InputCounters input_counters_from_json(const nlohmann::json& json) { return read_as<InputCounters>(json, "input"); }

// Traces are thousands of numbers for programs: a line each would make the file twice as large.
std::string to_json_text(const Profile& profile) {
  nlohmann::json json = json_fields::write(profile);
  const nlohmann::json traces = std::move(json["traces"]);
  json.erase("traces");
  json["schema_version"] = kProfileSchemaVersion;
  json["tool"] = tool_json();
  std::string text = dump_json(json, 1);
  constexpr std::string_view kEnd = "\n}";
  text.resize(text.size() - kEnd.size());
  return fmt::format("{},\n \"traces\": {}{}\n", text, dump_json(traces), kEnd);
}

Profile profile_from_json_text(std::string_view text) {
  const nlohmann::json json = parse_json(text, "the profile");
  int schema_version = 0;
  if (!json.is_object() || !json.contains("schema_version")) {
    throw Error("the file is no profile: it has no schema_version; make one with 'stash profile --out FILE'");
  }
  json_fields::read(json["schema_version"], json_fields::Path{nullptr, "schema_version"}, schema_version);
  if (schema_version > kProfileSchemaVersion) {
    throw Error(fmt::format("made by a newer Stash (schema {}); this one reads up to {}: update", schema_version,
                            kProfileSchemaVersion));
  }
  if (schema_version < 1) throw Error(fmt::format("schema_version is {}; it must be at least 1", schema_version));
  return read_as<Profile>(json, "");
}

Profile read_profile(const std::filesystem::path& path) {
  const std::string text = read_file(path, kLimitFileBytes);
  try {
    return profile_from_json_text(text);
  } catch (const Error& error) {
    throw Error(fmt::format("cannot read the profile '{}': {}", path.string(), error.what()));
  }
}

void write_profile(const std::filesystem::path& path, const Profile& profile) {
  write_file_atomically(path, to_json_text(profile));
}

}  // namespace stash
