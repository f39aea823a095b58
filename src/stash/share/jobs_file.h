#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stash {

// A [[job]] of a file of jobs in TOML.
struct JobEntry {
  std::string name;
  std::vector<std::string> command;  // of `share run`
  std::string folder;                // to start it in; empty: the caller's
  std::string profile, curve;        // of `share simulate`: a file, or a published curve
  double arrives_s = 0;              // after the start
  std::optional<double> samples;     // until it ends
  int min_workers = 1;               // of each rank
  std::optional<int> max_workers;    // of each rank
  int line = 0;                      // in the file, for messages
};

struct JobsFile {
  std::optional<int> cores, gpus;
  std::vector<JobEntry> jobs;
};

// UsageError names the line and the key at fault, and the nearest valid key. `source` names the text.
JobsFile parse_jobs(std::string_view text, std::string_view source);
JobsFile read_jobs(const std::filesystem::path& path);

}  // namespace stash
