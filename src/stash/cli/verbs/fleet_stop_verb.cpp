#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <string>
#include <system_error>

#include "stash/cli/output.h"
#include "stash/cli/verbs/fleet_verbs.h"
#include "stash/core/error.h"
#include "stash/fleet/live/folder_lock.h"
#include "stash/fleet/live/local/local_end.h"

namespace stash {
namespace {

class FleetStopVerb final : public Verb {
 public:
  std::string name() const override { return "stop"; }
  std::string description() const override { return "Drain and stop a local fleet that has no controller"; }

  void add_flags(CLI::App& app) override {
    app.add_option("--folder", folder_, "Folder of the fleet")->type_name("DIR")->capture_default_str();
    app.footer("Examples:\n  stash fleet stop\n");
  }

  int run() override {
    namespace fs = std::filesystem;
    const auto state = read_local_state(fs::path(folder_) / "machines.json");
    if (!state) throw Error(fmt::format("{}: no local fleet runs there", folder_));
    const FolderLock lock(folder_);
    end_local_fleet(fs::absolute(folder_), *state);
    std::error_code ignored;
    fs::rename(fs::path(folder_) / "fleet.json", fs::path(folder_) / "ended.json", ignored);
    print_or_write(fmt::format("stopped {} machines\n", state->machines.size()), "");
    return 0;
  }

 private:
  std::string folder_ = "stash-fleet";
};

}  // namespace

std::unique_ptr<Verb> make_fleet_stop_verb() { return std::make_unique<FleetStopVerb>(); }

}  // namespace stash
