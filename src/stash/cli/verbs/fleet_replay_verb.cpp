#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <string>

#include "stash/cli/flags/fleet_flags.h"
#include "stash/cli/flags/format_flag.h"
#include "stash/cli/output.h"
#include "stash/cli/progress.h"
#include "stash/cli/verbs/fleet_verbs.h"
#include "stash/core/error.h"
#include "stash/core/units.h"
#include "stash/core/words.h"
#include "stash/fleet/policy/make_fleet_policy.h"
#include "stash/fleet/replay/replay_comparison.h"
#include "stash/fleet/traffic/read_load_trace.h"
#include "stash/fleet/traffic/scaled_trace.h"
#include "stash/report/fleet_replay_report.h"
#include "stash/report/html/fleet_replay_page.h"
#include "stash/report/terminal.h"

namespace stash {
namespace {

constexpr int kMostSeeds = 1000;

class FleetReplayVerb final : public Verb {
 public:
  std::string name() const override { return "replay"; }
  std::string description() const override { return "Replay every request of a trace under several policies"; }

  void add_flags(CLI::App& app) override {
    app.add_option("--trace", trace_,
                   "Recorded traffic: a CSV with a column of times, or of counts per second or minute")
        ->type_name("FILE");
    app.add_option("--service", service_, "Only rows of this service, where the trace has a column of services")
        ->type_name("NAME");
    app.add_option("--scale", scale_, "Replay this many times as many requests: 0.1 is every tenth, at random")
        ->type_name("RATIO")
        ->capture_default_str();
    app.add_option("--days", days_, "Days of the trace, like 8-15; those before are known to the policies")
        ->type_name("A-B");
    app.add_option("--policy", policies_, fmt::format("Policies, comma separated: {}", fmt::join(kFleetPolicies, ", ")))
        ->type_name("LIST")
        ->capture_default_str();
    fleet_.add_to(app);
    app.add_option("--seeds", seeds_, "Replays of each policy, each with arrivals and start times of its own")
        ->type_name("N")
        ->capture_default_str();
    app.add_option("--seed", seed_, "Seed of the first one")->type_name("N")->capture_default_str();
    app.add_option("--kill-every", kill_every_, "Kill a machine at random this often")->type_name("TIME");
    app.add_option("--start-times", start_ratio_, "Let machines take this many times as long to start")
        ->type_name("RATIO")
        ->capture_default_str();
    format_.add_to(app);
    add_out(app, out_);
    app.footer(
        "Examples:\n"
        "  stash fleet replay --trace load.csv --model resnet50 --objective 200ms\n"
        "  stash fleet replay --trace load.csv --policy stash,mark,oracle --model resnet50 --objective 200ms \\\n"
        "    --format html --out fleet.html\n"
        "  stash fleet replay --trace load.csv --market mark-inception --objective 500ms --days 8-15 --seeds 5\n");
  }

  int run() override {
    const Format format = format_.get();
    const FleetObjective objective = fleet_.objective();
    const std::vector<std::string> names = policy_names();
    check_numbers();
    if (!out_.empty()) check_writable(out_);
    if (trace_.empty()) throw UsageError("say which traffic is replayed: --trace load.csv");
    const LoadTrace trace =
        scaled_trace(read_load_trace(std::filesystem::path(trace_), {.service = service_}), scale_, seed_);
    const Market market = fleet_.market();
    ReplayComparison comparison{.model = market.model,
                                .market = fleet_.market_name(),
                                .trace = std::filesystem::path(trace_).filename().string(),
                                .objective = objective,
                                .span = parse_trace_days(days_, trace),
                                .trace_begin_s = trace.begin_s,
                                .types = {},
                                .sources = {},
                                .policies = {},
                                .warnings = trace.warnings,
                                .faults = faults()};
    comparison.recorded_s = recorded_s(trace, comparison.span);
    for (const MachineType& type : market.machines) {
      comparison.types.push_back(type.name);
      comparison.sources.push_back(
          fmt::format("${:g} per hour; {}", type.usd_per_hour, type.source.empty() ? "no source" : type.source));
    }
    const LoadTrace future = only_span(trace, comparison.span);
    for (const std::string& name : names) {
      comparison.policies.push_back(replay(name, market, trace, future, comparison));
    }
    print_or_write(rendered(comparison, format), out_);
    return 0;
  }

 private:
  std::vector<std::string> policy_names() const {
    std::vector<std::string> names = split_list_strictly(policies_);
    if (names.empty()) throw UsageError("--policy names none: --policy stash,mark");
    for (const std::string& name : names) {
      if (std::ranges::find(kFleetPolicies, name) == kFleetPolicies.end()) {
        throw_unknown("--policy", name, kFleetPolicies);
      }
      if (std::ranges::count(names, name) > 1) throw UsageError(fmt::format("--policy names {} twice", name));
    }
    return names;
  }

  void check_numbers() const {
    if (seeds_ < 1 || seeds_ > kMostSeeds) {
      throw UsageError(fmt::format("--seeds {} must be from 1 to {}", seeds_, kMostSeeds));
    }
    if (!(start_ratio_ >= 0 && start_ratio_ <= 1000)) {
      throw UsageError(fmt::format("--start-times {:g} must be from 0 to 1000", start_ratio_));
    }
    faults();
  }

  ReplayFaults faults() const {
    ReplayFaults faults{.start_time_ratio = start_ratio_};
    if (kill_every_.empty()) return faults;
    faults.kill_every_s = parse_duration_s(kill_every_, "--kill-every");
    if (faults.kill_every_s < 1) throw UsageError(fmt::format("--kill-every {} must be 1s or more", kill_every_));
    return faults;
  }

  static double recorded_s(const LoadTrace& trace, const TraceSpan& span) {
    double s = 0;
    for (std::size_t i = 0; i < trace.requests.size(); ++i) {
      const double begin_s = static_cast<double>(i) * trace.slot_s;
      if (!trace.is_hole(i) && begin_s >= span.from_s && begin_s < span.to_s) s += trace.slot_s;
    }
    return s;
  }

  PolicyReplay replay(const std::string& name, const Market& market, const LoadTrace& trace, const LoadTrace& future,
                      const ReplayComparison& comparison) {
    PolicyReplay replayed{.name = name, .runs = {}};
    for (int i = 0; i < seeds_; ++i) {
      const auto policy = make_fleet_policy(name, market, {.objective = comparison.objective, .future = &future});
      replayed.price_ratio = policy->price_ratio();
      const std::string what = seeds_ > 1 ? fmt::format("{}, seed {} of {}", name, i + 1, seeds_) : name;
      status_.show(what);
      replayed.runs.push_back(replay_fleet(
          market, trace, *policy,
          {.objective = comparison.objective,
           .seed = seed_ + static_cast<std::uint64_t>(i),
           .span = comparison.span,
           .faults = comparison.faults,
           .on_progress = [&](double done) { status_.show(fmt::format("{}: {:.0f} %", what, 100 * done)); }}));
    }
    return replayed;
  }

  std::string rendered(const ReplayComparison& comparison, Format format) const {
    if (format == Format::json) return fleet_replay_json(comparison);
    if (format == Format::csv) return fleet_replay_csv(comparison);
    if (format == Format::html) return render_fleet_replay_html(comparison);
    return fleet_replay_text(comparison, options_for_stdout());
  }

  FleetFlags fleet_;
  std::string trace_, service_, days_;
  std::string policies_ = "stash,mark,reactive,best-single,peak,oracle";
  double scale_ = 1;
  int seeds_ = 1;
  std::uint64_t seed_ = 1;
  std::string kill_every_;
  double start_ratio_ = 1;
  FormatFlag format_ = page_format();
  std::string out_;
  StatusLine status_;
};

}  // namespace

std::unique_ptr<Verb> make_fleet_replay_verb() { return std::make_unique<FleetReplayVerb>(); }

}  // namespace stash
