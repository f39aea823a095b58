#include "stash/fleet/live/fleet_record.h"

#include <fmt/format.h>

#include <fstream>

#include "stash/core/file.h"
#include "stash/core/json_fields.h"
#include "stash/core/profile_json.h"

namespace stash {
namespace {

using json_fields::FieldsOf;

constexpr std::size_t kMostRecordBytes = 64 << 20;
constexpr int kRecordVersion = 1;

}  // namespace

template <class V, FieldsOf<LoadCounts> T>
void fields(V& visit, T& counts) {
  visit("served", counts.served, 0);
  visit("late", counts.late, 0);
  visit("refused", counts.refused, 0);
  visit("failed", counts.failed, 0);
}

template <class V, FieldsOf<PaidMachine> T>
void fields(V& visit, T& machine) {
  visit("type", machine.type, 0);
  visit("spot", machine.spot);
  visit("since_s", machine.since_s);
}

template <class V, FieldsOf<BillRow> T>
void fields(V& visit, T& row) {
  visit("type", row.type);
  visit("spot", row.spot);
  visit("machines", row.machines, 0);
  visit("hours", row.hours, 0);
  visit("usd", row.usd, 0);
}

template <class V, FieldsOf<FleetChange> T>
void fields(V& visit, T& change) {
  visit("what", change.what);
  visit("type", change.type);
  visit("reason", change.reason);
  visit("machines", change.machines, 0);
}

template <class V, FieldsOf<FleetRecord> T>
void fields(V& visit, T& record) {
  visit("boot", record.boot);
  visit("begun_ns", record.begun_ns);
  visit("saved_s", record.saved_s);
  visit("model", record.model);
  visit("policy", record.policy);
  visit("provider", record.provider);
  visit("address", record.address);
  visit("types", record.types);
  visit("wanted", record.wanted);
  visit("wanted_spot", record.wanted_spot);
  visit("counts", record.counts);
  visit("latency_counts", record.latency_counts);
  visit("latency_sum_s", record.latency_sum_s, 0);
  visit("latencies", record.latencies);
  visit("minute_requests", record.minute_requests);
  visit("minute_peaks", record.minute_peaks);
  visit("minute_missed", record.minute_missed);
  visit("minute_holes", record.minute_holes);
  visit("paid", record.paid);
  visit("ended", record.ended);
  visit("changes", record.changes);
}

std::string boot_id() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string text;
  std::getline(file, text);
  return text;
}

std::optional<FleetRecord> read_fleet_record(const std::filesystem::path& file) {
  if (!std::filesystem::exists(file)) return std::nullopt;
  const nlohmann::json json = parse_json(read_file(file, kMostRecordBytes), file.string());
  const auto version = json.find("schema_version");
  if (version == json.end() || *version != kRecordVersion) {
    throw Error(fmt::format("{}: it was written by another version of Stash; name another --folder", file.string()));
  }
  FleetRecord record;
  json_fields::read(json, json_fields::Path{nullptr, file.native()}, record);
  const std::size_t types = record.types.size();
  const std::size_t minutes = record.minute_requests.size();
  if (record.wanted.size() != types || record.wanted_spot.size() != types || record.minute_peaks.size() != minutes ||
      record.minute_missed.size() != minutes || record.minute_holes.size() != minutes) {
    throw Error(fmt::format("{} is damaged: its lists differ in length; name another --folder", file.string()));
  }
  for (const auto& [id, machine] : record.paid) {
    if (static_cast<std::size_t>(machine.type) >= types) {
      throw Error(fmt::format("{} is damaged: machine '{}' has no type; name another --folder", file.string(), id));
    }
  }
  return record;
}

void write_fleet_record(const std::filesystem::path& file, const FleetRecord& record) {
  nlohmann::json json = json_fields::write(record);
  json["schema_version"] = kRecordVersion;
  write_file_atomically(file, dump_json(json) + "\n");
}

}  // namespace stash
