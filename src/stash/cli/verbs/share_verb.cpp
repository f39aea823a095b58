#include <CLI/CLI.hpp>
#include <utility>
#include <vector>

#include "stash/cli/verbs/share_verbs.h"

namespace stash {
namespace {

class ShareVerb final : public Verb {
 public:
  std::string name() const override { return "share"; }
  std::string description() const override { return "Share loader workers by need among jobs on one machine"; }

  void add_flags(CLI::App& app) override {
    app.require_subcommand(1);
    app.footer(
        "Examples:\n"
        "  stash share plan a.json b.json c.json --cores 16\n"
        "  stash share simulate --mix vision,speech,language --days 20\n"
        "  stash share run jobs.toml\n"
        "  stash share pool --cores 14 &\n"
        "  stash share status\n");
    add(app, make_share_plan_verb());
    add(app, make_share_simulate_verb());
    add(app, make_share_run_verb());
    add(app, make_share_pool_verb());
    add(app, make_share_status_verb());
    add(app, make_share_train_verb());
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

FormatFlag sharing_format() { return {kSharingFormats, "text, json, or html: one file with charts"}; }

std::unique_ptr<Verb> make_share_verb() { return std::make_unique<ShareVerb>(); }

}  // namespace stash
