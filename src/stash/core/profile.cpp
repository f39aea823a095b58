#include "stash/core/profile.h"

#include <fmt/format.h>

#include "stash/core/file.h"
#include "stash/core/profile_fields.h"
#include "stash/core/profile_json.h"
#include "stash/core/profile_keys.h"
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

void add_window(Profile& profile, Window window) {
  (window.variant.empty() ? profile.windows : profile.variant_windows).push_back(std::move(window));
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
nlohmann::json to_json(const ScriptFacts& facts) { return json_fields::write(facts); }
nlohmann::json to_json(const LinkTime& row) { return json_fields::write(row); }
nlohmann::json to_json(const RankPlace& place) { return json_fields::write(place); }

std::vector<JsonKey> profile_keys() {
  KeyLister lister;
  lister.keys() = {{"schema_version", "integer"}, {"tool", "object"}};
  list_fields(lister, Profile{});
  return described(std::move(lister.keys()), profile_meanings());
}

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
