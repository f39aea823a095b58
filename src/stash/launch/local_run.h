#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "stash/core/profile.h"
#include "stash/launch/collector.h"

namespace stash {

struct LocalRunOptions {
  std::filesystem::path python;            // the interpreter whose torch the ranks use
  std::filesystem::path extension_folder;  // holds _stash.so
  std::filesystem::path package_folder;    // holds the Python package `stash`
  double deadline_s = 30;
  std::function<void(const Collector&)> on_tick;  // a few times a second
};

struct LocalRun {
  Profile profile;                   // complete or not; it says which
  std::optional<std::string> fault;  // what went wrong, for a person
  bool usage_fault = false;
  bool interrupted = false;
};

// Runs the job's ranks on this machine and collects their profile. `profile` brings the job and the machine.
LocalRun run_locally(Profile profile, const LocalRunOptions& options);

}  // namespace stash
