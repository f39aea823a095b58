#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <map>
#include <string>

#include "stash/cli/output.h"
#include "stash/cli/verbs/fleet_verbs.h"
#include "stash/core/clock.h"
#include "stash/core/error.h"
#include "stash/core/units.h"
#include "stash/fleet/live/fleet_record.h"
#include "stash/fleet/live/folder_lock.h"
#include "stash/fleet/live/local/local_state.h"

namespace stash {
namespace {

class FleetStatusVerb final : public Verb {
 public:
  std::string name() const override { return "status"; }
  std::string description() const override { return "Show a fleet that runs, from its folder"; }

  void add_flags(CLI::App& app) override {
    app.add_option("--folder", folder_, "Folder of the fleet")->type_name("DIR")->capture_default_str();
    app.footer("Examples:\n  stash fleet status\n");
  }

  int run() override {
    const auto record = read_fleet_record(std::filesystem::path(folder_) / "fleet.json");
    if (!record) throw Error(fmt::format("{}: no fleet runs there; start one with stash fleet run", folder_));
    std::string text = fmt::format("{} at {}, policy {}, {}\n", record->model, record->address, record->policy,
                                   is_folder_held(folder_) ? "controlled" : "without a controller; it stays as it is");
    text += fmt::format("{:.0f} requests, {:.0f} missed, in {}\n", record->counts.all(), record->counts.missed(),
                        format_duration(record->saved_s));
    for (std::size_t i = 0; i < record->types.size(); ++i) {
      const int wanted = record->wanted[i] + record->wanted_spot[i];
      if (wanted > 0) text += fmt::format("  {} x {} ordered\n", wanted, record->types[i]);
    }
    if (const auto local = read_local_state(std::filesystem::path(folder_) / "machines.json")) text += rows_of(*local);
    print_or_write(text, "");
    return 0;
  }

 private:
  static std::string rows_of(const LocalState& state) {
    std::string text;
    for (const LocalMachine& machine : state.machines) {
      bool lives = true;
      std::string where;
      for (const LocalServer& one : machine.servers) {
        lives = lives && (one.process.pid == 0 || is_alive(one.process));
        where += fmt::format(" {}:{}", one.process.pid, one.port);
      }
      text += fmt::format("  {}  {}  process:port{}\n", machine.id, lives ? to_string(machine.state) : "dead", where);
    }
    return text;
  }

  std::string folder_ = "stash-fleet";
};

}  // namespace

std::unique_ptr<Verb> make_fleet_status_verb() { return std::make_unique<FleetStatusVerb>(); }

}  // namespace stash
