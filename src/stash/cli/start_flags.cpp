#include "stash/cli/start_flags.h"

#include <CLI/CLI.hpp>

#include "stash/cli/own_files.h"
#include "stash/cli/progress.h"
#include "stash/core/units.h"
#include "stash/launch/extension.h"

namespace stash {

void StartFlags::add_to(CLI::App& app) {
  app.add_option("--python", python_, "Interpreter whose torch (2.5 or newer) the ranks use")->type_name("FILE");
  app.add_option("--deadline", deadline_, "How long a rank may show no life before the run is ended")
      ->type_name("TIME")
      ->capture_default_str();
  app.add_option("--node-name", node_name_, "Ranks with the same name share a node, whatever their hosts say")
      ->type_name("NAME");
  app.add_flag("--local", local_, "Start ranks here even where a launcher's environment is seen");
}

void StartFlags::check() const { parse_duration_s(deadline_, "--deadline"); }

std::optional<Placement> StartFlags::placement() const {
  return local_ ? std::nullopt : find_placement(environment_variable);
}

LocalRun StartFlags::start(Profile profile, const Team& team, const std::string& purpose,
                           const std::function<void(const Collector&)>& on_tick) const {
  const std::filesystem::path root = root_folder();
  const std::filesystem::path python = chosen_python(python_);
  StatusLine setup;
  const ExtensionInfo extension = ensure_extension(python, root, [&](std::string_view line) { setup.say(line); });
  return run_locally(std::move(profile), {.team = team,
                                          .node = node_identity(node_name_),
                                          .python = python,
                                          .extension_folder = extension.folder,
                                          .package_folder = root / "python",
                                          .deadline_s = parse_duration_s(deadline_, "--deadline"),
                                          .purpose = purpose,
                                          .on_tick = on_tick});
}

}  // namespace stash
