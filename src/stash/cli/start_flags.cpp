#include "stash/cli/start_flags.h"

#include <CLI/CLI.hpp>

#include "stash/cli/own_files.h"
#include "stash/cli/progress.h"
#include "stash/core/units.h"

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

ExtensionInfo StartFlags::ready() const {
  StatusLine setup;
  return ensure_extension(chosen_python(python_), root_folder(),
                          [&](std::string_view line, bool passing) { setup.tell(line, passing); });
}

LocalRun StartFlags::start(Profile profile, const Team& team, const StartOptions& options) const {
  const ExtensionInfo extension = ready();
  LocalRanks own;
  LocalRanks& ranks = options.ranks == nullptr ? own : *options.ranks;
  return ranks.run(std::move(profile), {.team = team,
                                        .node = node_identity(node_name_),
                                        .python = chosen_python(python_),
                                        .extension_folder = extension.folder,
                                        .package_folder = root_folder() / "python",
                                        .deadline_s = parse_duration_s(deadline_, "--deadline"),
                                        .purpose = options.purpose,
                                        .on_tick = options.on_tick,
                                        .nodes = options.nodes,
                                        .stop = options.stop});
}

}  // namespace stash
