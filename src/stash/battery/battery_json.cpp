#include "stash/battery/battery_json.h"

#include <fmt/format.h>

#include "stash/core/job_fields.h"
#include "stash/core/profile_json.h"
#include "stash/core/version.h"

namespace stash {

namespace {

constexpr int kBatterySchemaVersion = 1;

template <class T>
std::string document(const T& value) {
  nlohmann::json json = json_fields::write(value);
  json["schema_version"] = kBatterySchemaVersion;
  json["tool"] = tool_json();
  return dump_json(json, 1) + "\n";
}

template <class T>
T read_document(std::string_view text, std::string_view what) {
  nlohmann::json json = parse_json(text, what);
  accept_older_key(json, "usd_per_h", "usd_per_hour");
  int schema_version = kBatterySchemaVersion;
  if (json.is_object() && json.contains("schema_version")) {
    json_fields::read(json["schema_version"], json_fields::Path{nullptr, "schema_version"}, schema_version);
  }
  if (schema_version > kBatterySchemaVersion) {
    throw Error(fmt::format("{} was made by a newer Stash (schema {}); update", what, schema_version));
  }
  T value;
  json_fields::read(json, json_fields::Path{nullptr, ""}, value);
  return value;
}

}  // namespace

template <class V, json_fields::FieldsOf<Case> T>
void fields(V& visit, T& one) {
  visit("name", one.name);
  visit("job", one.job);
  visit("nodes", one.nodes, 1);
  visit.or_default("why_not", one.why_not);
}

template <class V, json_fields::FieldsOf<Battery> T>
void fields(V& visit, T& battery) {
  visit("cases", battery.cases);
  visit.or_default("machines", battery.machines, 1);
  visit("usd_per_hour", battery.usd_per_h, 0);
  visit("epoch_samples", battery.epoch_samples, 1);
  visit.or_default("instance", battery.instance);
}

template <class V, json_fields::FieldsOf<FailedCase> T>
void fields(V& visit, T& failed) {
  visit("case", failed.of);
  visit("why", failed.why);
}

std::string to_json_text(const Battery& battery) { return document(battery); }
Battery battery_from_json_text(std::string_view text) { return read_document<Battery>(text, "the battery's plan"); }

std::string to_json_text(const FailedCase& failed) { return document(failed); }
FailedCase failed_case_from_json_text(std::string_view text) {
  return read_document<FailedCase>(text, "the record of a failed case");
}

}  // namespace stash
