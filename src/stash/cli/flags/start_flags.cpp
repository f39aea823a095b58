#include "stash/cli/flags/start_flags.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "stash/cli/own_files.h"
#include "stash/cli/progress.h"
#include "stash/core/units.h"
#include "stash/launch/extension/extension.h"
#include "stash/launch/extension/oldest_torch.h"

namespace stash {

void add_python(CLI::App& app, std::string& python, std::string_view use) {
  app.add_option("--python", python,
                 fmt::format("Interpreter whose torch ({} or newer) {}; default: that of an active environment, else "
                             "the one of ./stash",
                             oldest_torch(), use))
      ->type_name("FILE");
}

void StartFlags::add_to(CLI::App& app) {
  add_python(app, python_, "the ranks use");
  app.add_option("--timeout", timeout_, "Stop the run if a rank shows no sign of life for this long")
      ->type_name("TIME")
      ->capture_default_str();
  app.add_option("--deadline", timeout_)->group("");  // its old name; in `advise` a deadline is a training's
  app.add_option("--node-name", node_name_,
                 "Name of this node: ranks with the same name count as one node; default: detected")
      ->type_name("NAME");
  app.add_flag("--local", local_, "Start ranks here, even under a launcher");
}

void StartFlags::check() const { timeout_s(); }

double StartFlags::timeout_s() const { return parse_duration_s(timeout_, "--timeout"); }

std::optional<LaunchedProcess> StartFlags::launched() const {
  return local_ ? std::nullopt : find_launched_process(environment_variable);
}

CrewOptions StartFlags::resolve() const {
  StatusLine setup;
  const ExtensionInfo extension = ensure_extension(
      chosen_python(python_), root_folder(), [&](std::string_view line, bool passing) { setup.tell(line, passing); });
  return {.plan = {},
          .node = node(),
          .python = chosen_python(python_),
          .extension_folder = extension.folder,
          .package_folder = root_folder() / "python",
          .torch = extension.torch_version,
          .deadline_s = timeout_s(),
          .purpose = Purpose::profile,
          .on_tick = {}};
}

}  // namespace stash
