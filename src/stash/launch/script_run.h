#pragma once

#include <filesystem>
#include <functional>

#include "stash/launch/attached_command.h"
#include "stash/launch/collector.h"

namespace stash {

struct ScriptRunOptions {
  std::filesystem::path program;         // ourselves: ranks ask it for the library
  std::filesystem::path package_folder;  // holds the Python packages stash and attach
  bool keep_training = false;
  bool tries = false;  // fixes, beside the conditions
  std::string input;   // the function that returns batches, as --input takes it; empty: a loader is looked for
  // What a recorded step consists of; not set: nothing is recorded. May throw Error.
  std::function<ScriptWork(const RecordedEvent&)> read_work;
  std::function<void(const Collector&)> on_tick;
};

struct ScriptRun {
  Profile profile;
  ForegroundEnd end;
  Attached attached = Attached::no_python;
  RankErrors errors;
  std::string elsewhere;  // the host of rank 0, where that is another
};

// Runs the user's command (profile.job.command) and collects what its ranks measure. Of several trainings that follow
// each other in one command the first is measured.
ScriptRun run_script(Profile profile, const ScriptRunOptions& options);

}  // namespace stash
