#include "stash/launch/attached_command.h"

#include <cstdlib>

#include "stash/launch/event_files.h"
#include "stash/launch/protocol/shared_names.h"
#include "stash/launch/run_folder.h"

namespace stash {
namespace {

namespace fs = std::filesystem;

EnvironmentChanges environment(const fs::path& package_folder, const fs::path& run_folder) {
  // The hooks come first on the path, so that no other sitecustomize hides them.
  std::string path = (package_folder / "attach").string() + ':' + package_folder.string();
  if (const char* own = std::getenv("PYTHONPATH"); own != nullptr && *own != '\0') path += ':' + std::string(own);
  EnvironmentChanges changes{{"PYTHONPATH", path}, {kRunFolderVariable, run_folder.string()}};
  // Torch's profiler, which records a few steps, reports its start and stop on the script's stderr below this level.
  if (std::getenv("KINETO_LOG_LEVEL") == nullptr) changes.emplace("KINETO_LOG_LEVEL", "6");
  return changes;
}

Attached how_far(const EventFiles& files) {
  if (files.count_marks(kTorchMark) > 0) return Attached::no_step;
  return files.count_marks(kPythonMark) > 0 ? Attached::no_torch : Attached::no_python;
}

}  // namespace

AttachedEnd run_attached(const AttachedOptions& options, const ScriptOrder& order) {
  const RunFolder folder;
  write_script_order(folder.path() / kScriptOrderFile, order);
  EventFiles files(folder.path());
  const ForegroundEnd end = run_in_foreground(options.command, environment(options.package_folder, folder.path()), [&] {
    files.read(options.on_line);
    if (options.on_tick) options.on_tick();
  });
  return {end, how_far(files)};
}

}  // namespace stash
