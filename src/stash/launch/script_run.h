#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "stash/launch/collector.h"
#include "stash/launch/foreground.h"

namespace stash {

struct ScriptRunOptions {
  std::filesystem::path program;         // ourselves: ranks ask it for the library
  std::filesystem::path package_folder;  // holds the Python packages stash and attach
  bool keep_training = false;
  std::function<void(const Collector&)> on_tick;
};

// How far Stash came with the command's processes.
enum class Attached { no_python, no_torch, no_step, trained };

struct ScriptRun {
  Profile profile;
  ForegroundEnd end;
  Attached attached = Attached::no_python;
  std::map<int, RankError> errors;
};

// Runs somebody's command (profile.job.command) with hooks in every Python process of it, and collects what its ranks
// measure.
ScriptRun run_script(Profile profile, const ScriptRunOptions& options);

}  // namespace stash
