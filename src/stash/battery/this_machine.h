#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stash/catalog/instance.h"
#include "stash/core/profile.h"
#include "stash/input/pages/machine_rates.h"

namespace stash {

struct ThisMachineOptions {
  std::string name;  // empty: the host's
  std::string gpu;   // empty: what the driver says
  std::optional<int> gpus;
  std::optional<double> usd_per_h;
  std::filesystem::path storage;                                          // the folder that is timed
  std::optional<Profile> profile;                                         // its links and its input are taken
  std::optional<MeasuredRate> decode_samples_per_s, storage_bytes_per_s;  // nullopt: measured
};

struct ThisMachine {
  Instance instance;
  std::vector<std::string> unknown;  // what could not be measured, and why
};

// This machine as a row of the catalogue. Rates that the options do not bring are measured, for some seconds; `tell`
// gets what is going on.
ThisMachine describe_this_machine(const ThisMachineOptions& options, const std::string& date,
                                  const std::function<void(std::string_view)>& tell);

}  // namespace stash
