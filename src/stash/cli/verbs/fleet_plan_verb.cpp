#include <CLI/CLI.hpp>
#include <string>

#include "stash/cli/flags/format_flag.h"
#include "stash/cli/output.h"
#include "stash/cli/verbs/fleet_verbs.h"
#include "stash/core/error.h"

namespace stash {
namespace {

constexpr std::array kFleetPlanFormats{Format::text, Format::json};

class FleetPlanVerb final : public Verb {
 public:
  std::string name() const override { return "plan"; }
  std::string description() const override { return "Plan which machines to rent over a day of traffic"; }

  void add_flags(CLI::App& app) override {
    app.add_option("--trace", trace_, "Recorded traffic: a CSV of times, or of counts per second or minute")
        ->type_name("FILE");
    format_.add_to(app);
    add_out(app, out_);
  }

  int run() override { throw Error("stash fleet plan is not built yet"); }

 private:
  std::string trace_;
  FormatFlag format_{kFleetPlanFormats, "text or json"};
  std::string out_;
};

}  // namespace

std::unique_ptr<Verb> make_fleet_plan_verb() { return std::make_unique<FleetPlanVerb>(); }

}  // namespace stash
