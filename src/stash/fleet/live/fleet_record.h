#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "stash/fleet/live/fleet_bill.h"
#include "stash/fleet/live/load_book.h"
#include "stash/fleet/policy/fleet_policy.h"

namespace stash {

// How many machines were started and stopped, and why.
struct FleetChange {
  std::string what;  // "started", "stopped", "lost"
  std::string type;
  std::string reason;
  int machines = 0;
};

// What a controller keeps on disk, so that the next one resumes where it was.
struct FleetRecord {
  std::string boot;           // of the machine: clocks and processes of another boot say nothing
  std::int64_t begun_ns = 0;  // on the clock of now_ns()
  double saved_s = 0;
  std::string model;
  std::string policy;
  std::string provider;
  std::string address;
  std::vector<std::string> types;  // of the market
  std::vector<int> wanted;         // by type, as of the last decision
  std::vector<int> wanted_spot;
  LoadCounts counts;
  std::vector<std::uint64_t> latency_counts;
  double latency_sum_s = 0;
  std::uint64_t latencies = 0;
  std::vector<double> minute_requests, minute_peaks, minute_missed;
  std::vector<int> minute_holes;
  std::map<std::string, PaidMachine> paid;
  std::vector<BillRow> ended;
  std::vector<FleetChange> changes;
};

std::string boot_id();  // of this machine; empty where it is not known

// Error where the file is damaged; nullopt where there is none.
std::optional<FleetRecord> read_fleet_record(const std::filesystem::path& file);
void write_fleet_record(const std::filesystem::path& file, const FleetRecord& record);  // whole or not at all

}  // namespace stash
