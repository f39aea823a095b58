#include <CLI/CLI.hpp>
#include <filesystem>
#include <string>

#include "stash/cli/exit_codes.h"
#include "stash/cli/flags/fleet_flags.h"
#include "stash/cli/flags/format_flag.h"
#include "stash/cli/output.h"
#include "stash/cli/verbs/fleet_verbs.h"
#include "stash/core/error.h"
#include "stash/fleet/market/rated_type.h"
#include "stash/fleet/plan/fleet_plan.h"
#include "stash/fleet/traffic/read_load_trace.h"
#include "stash/report/fleet_plan_report.h"
#include "stash/report/html/fleet_plan_page.h"
#include "stash/report/terminal.h"

namespace stash {
namespace {

constexpr std::array kFleetPlanFormats{Format::text, Format::json, Format::html};

class FleetPlanVerb final : public Verb {
 public:
  std::string name() const override { return "plan"; }
  std::string description() const override { return "Plan which machines to rent over a day of traffic"; }

  void add_flags(CLI::App& app) override {
    app.add_option("--trace", trace_,
                   "Recorded traffic: a CSV with a column of times, or of counts per second or minute; its last day is "
                   "planned")
        ->type_name("FILE");
    app.add_option("--service", service_, "Only rows of this service, where the trace has a column of services")
        ->type_name("NAME");
    fleet_.add_to(app);
    format_.add_to(app);
    add_out(app, out_);
    app.footer(
        "Examples:\n"
        "  stash fleet plan --model resnet50 --objective 200ms --meet 98% --trace load.csv\n"
        "  stash fleet plan --model bert_base --dtype fp16 --objective 50ms --trace load.csv --on g5.xlarge,c5.xlarge\n"
        "  stash fleet plan --market ours.toml --objective 1s --trace load.csv --format html --out plan.html\n"
        "Nothing is rented: `stash fleet run` does.\n");
  }

  int run() override {
    const Format format = format_.get();
    const FleetObjective objective = fleet_.objective();
    if (trace_.empty()) throw UsageError("say which traffic to plan for: --trace load.csv");
    const Market market = fleet_.market();
    rated_types(market, objective);  // an objective that nothing can meet is said before a long file is read
    const std::filesystem::path file(trace_);
    FleetPlan plan = plan_fleet(market, read_load_trace(file, {.service = service_}), objective);
    plan.market = fleet_.market_name();
    plan.trace = file.filename().string();
    print_or_write(rendered(plan, format), out_);
    return plan.meets() ? 0 : kExitFault;
  }

 private:
  static std::string rendered(const FleetPlan& plan, Format format) {
    if (format == Format::json) return fleet_plan_json(plan);
    if (format == Format::html) return render_fleet_plan_html(plan);
    return fleet_plan_text(plan, options_for_stdout());
  }

  std::string trace_;
  std::string service_;
  FleetFlags fleet_;
  FormatFlag format_{kFleetPlanFormats, "text, json or html"};
  std::string out_;
};

}  // namespace

std::unique_ptr<Verb> make_fleet_plan_verb() { return std::make_unique<FleetPlanVerb>(); }

}  // namespace stash
