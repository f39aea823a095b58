#include <CLI/CLI.hpp>

#include "stash/cli/verbs/inner_verbs.h"
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
    verbs_.add(app, make_share_plan_verb());
    verbs_.add(app, make_share_simulate_verb());
    verbs_.add(app, make_share_run_verb());
    verbs_.add(app, make_share_pool_verb());
    verbs_.add(app, make_share_status_verb());
    verbs_.add(app, make_share_train_verb());
  }

  int run() override { return verbs_.chosen()->run(); }  // one of them is required

 private:
  InnerVerbs verbs_;
};

}  // namespace

FormatFlag sharing_format() { return {kSharingFormats, "text, json, or html: one file with charts"}; }

std::unique_ptr<Verb> make_share_verb() { return std::make_unique<ShareVerb>(); }

}  // namespace stash
