#include <CLI/CLI.hpp>
#include <utility>
#include <vector>

#include "stash/cli/verbs/fleet_verbs.h"

namespace stash {
namespace {

class FleetVerb final : public Verb {
 public:
  std::string name() const override { return "fleet"; }
  std::string description() const override { return "Rent machines for traffic: which, how many and when"; }

  void add_flags(CLI::App& app) override {
    app.require_subcommand(1);
    app.footer(
        "Examples:\n"
        "  stash fleet plan --model resnet50 --objective 200ms --meet 98% --trace load.csv\n"
        "  stash fleet replay --trace load.csv --policy stash,mark,oracle --model resnet50 --objective 200ms\n");
    add(app, make_fleet_plan_verb());
    add(app, make_fleet_replay_verb());
    add(app, make_fleet_run_verb());
    add(app, make_fleet_status_verb());
    add(app, make_fleet_stop_verb());
    add(app, make_fleet_export_verb());
  }

  int run() override {
    for (const auto& [app, verb] : verbs_) {
      if (app->parsed()) return verb->run();
    }
    return 0;  // never: one of them is required
  }

 private:
  void add(CLI::App& app, std::unique_ptr<Verb> verb) {
    CLI::App* const own = app.add_subcommand(verb->name(), verb->description());
    verb->add_flags(*own);
    verbs_.emplace_back(own, std::move(verb));
  }

  std::vector<std::pair<CLI::App*, std::unique_ptr<Verb>>> verbs_;
};

}  // namespace

std::unique_ptr<Verb> make_fleet_verb() { return std::make_unique<FleetVerb>(); }

}  // namespace stash
