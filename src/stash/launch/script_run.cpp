#include "stash/launch/script_run.h"

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "stash/core/clock.h"
#include "stash/core/file.h"
#include "stash/core/profile_json.h"
#include "stash/launch/event_files.h"
#include "stash/launch/run_folder.h"

namespace stash {
namespace {

namespace fs = std::filesystem;

std::vector<std::pair<std::string, std::string>> environment(const ScriptRunOptions& options, const fs::path& folder,
                                                             const std::string& data) {
  // The hooks come first on the path, so that no other sitecustomize hides them.
  std::string path = (options.package_folder / "attach").string() + ':' + options.package_folder.string();
  if (const char* own = std::getenv("PYTHONPATH"); own != nullptr && *own != '\0') path += ':' + std::string(own);
  return {{"PYTHONPATH", path},
          {"STASH_RUN_FOLDER", folder.string()},
          {"STASH_DATA", data.empty() ? "" : fs::absolute(data).string()}};
}

Attached how_far(const EventFiles& files, bool has_job) {
  if (has_job) return Attached::trained;
  if (files.count_marks("torch") > 0) return Attached::no_step;
  return files.count_marks("python") > 0 ? Attached::no_torch : Attached::no_python;
}

}  // namespace

ScriptRun run_script(Profile profile, const ScriptRunOptions& options) {
  const std::int64_t started_ns = now_ns();
  const RunFolder folder;
  const Job job = profile.job;
  const nlohmann::json settings = {
      {"program", options.program.string()}, {"keep_training", options.keep_training}, {"job", to_json(job)}};
  write_file_atomically(folder.path() / "run.json", settings.dump());

  Collector collector(std::move(profile));
  EventFiles files(folder.path());
  std::string measured;  // by the file of its rank 0: the first training of the command
  int ranks = 0;
  const auto take = [&](const std::string& file, std::string_view line) {
    if (line.find("\"event\":\"job\"") != std::string_view::npos) {
      if (measured.empty()) measured = file;
    }
    const bool window = line.find("\"event\":\"window\"") != std::string_view::npos;
    if (window && file != measured) return;
    collector.take(file == measured ? 0 : ++ranks, line);
  };
  ScriptRun run;
  run.end = run_in_foreground(job.command, environment(options, folder.path(), job.data), [&] {
    files.read(take);
    if (options.on_tick) options.on_tick(collector);
  });
  run.attached = how_far(files, !measured.empty());
  run.profile = collector.profile();
  run.errors = collector.errors();
  run.profile.elapsed_s = seconds(now_ns() - started_ns);
  run.profile.complete = collector.stopped();
  if (!collector.stopped()) run.profile.stopped_by = run.end.exit_code == 0 ? StoppedBy::interrupted : StoppedBy::fault;
  return run;
}

}  // namespace stash
