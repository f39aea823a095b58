#include "stash/launch/attached_command.h"

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "stash/core/file.h"
#include "stash/launch/event_files.h"
#include "stash/launch/run_folder.h"

namespace stash {
namespace {

namespace fs = std::filesystem;

EnvironmentChanges environment(const AttachedOptions& options, const fs::path& folder) {
  // The hooks come first on the path, so that no other sitecustomize hides them.
  std::string path = (options.package_folder / "attach").string() + ':' + options.package_folder.string();
  if (const char* own = std::getenv("PYTHONPATH"); own != nullptr && *own != '\0') path += ':' + std::string(own);
  return {{"PYTHONPATH", path},
          {"STASH_RUN_FOLDER", folder.string()},
          {"STASH_RUN_MODE", options.mode},
          {"STASH_DATA", options.data.empty() ? "" : fs::absolute(options.data).string()}};
}

Attached how_far(const EventFiles& files) {
  if (files.count_marks("torch") > 0) return Attached::no_step;
  return files.count_marks("python") > 0 ? Attached::no_torch : Attached::no_python;
}

}  // namespace

AttachedEnd run_attached(const AttachedOptions& options, const nlohmann::json& settings) {
  const RunFolder folder;
  write_file_atomically(folder.path() / "run.json", settings.dump());
  EventFiles files(folder.path());
  const ForegroundEnd end = run_in_foreground(options.command, environment(options, folder.path()), [&] {
    files.read(options.on_line);
    if (options.on_tick) options.on_tick();
  });
  return {end, how_far(files)};
}

}  // namespace stash
