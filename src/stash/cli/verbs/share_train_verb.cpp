#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "stash/battery/run_case.h"
#include "stash/cli/exit_codes.h"
#include "stash/cli/flags/job_flags.h"
#include "stash/cli/flags/pool_flags.h"
#include "stash/cli/flags/start_flags.h"
#include "stash/cli/output.h"
#include "stash/cli/progress.h"
#include "stash/cli/run_progress.h"
#include "stash/cli/verbs/share_verbs.h"
#include "stash/core/error.h"
#include "stash/core/units.h"
#include "stash/launch/cluster/crew_plan.h"
#include "stash/launch/machine_info.h"
#include "stash/launch/process/affinity.h"
#include "stash/models/job_graph.h"
#include "stash/report/pool_report.h"

namespace stash {
namespace {

constexpr std::array kTrainFormats{Format::text, Format::json};

class ShareTrainVerb final : public Verb {
 public:
  std::string name() const override { return "train"; }
  std::string description() const override { return "Train a built-in model with the workers that a pool gives it"; }

  void add_flags(CLI::App& app) override {
    flags_.add_to(app, {"model", "batch", "image-size", "seq-len", "device", "dtype", "channels-last", "ranks",
                        "backend", "data", "workers", "prefetch", "loader", "seed", "inject"});
    app.get_option("--workers")
        ->description("Input threads per rank without a pool; default: the rank's cores minus one, at least 1");
    app.get_option("--seed")->description("Random seed for weights and shuffling");
    app.add_option("--samples", samples_, "Samples of all ranks, after which it ends; default: until --max-time")
        ->type_name("N");
    app.add_option("--max-time", max_time_, "Time limit, counted from the first step")
        ->type_name("TIME")
        ->capture_default_str();
    seat_.add_to(app);
    format_.add_to(app);
    start_.add_to(app);
    app.footer(
        "Examples:\n"
        "  stash share train --model resnet50 --inject prep=10ms/sample --max-time 5m\n"
        "  stash share train --model vgg11 --samples 1e5 --min-workers 2\n"
        "Without a pool it trains with --workers.\n");
  }

  int run() override {
    const Format format = format_.get();
    start_.check();
    const std::optional<double> samples = parse_samples();
    const auto launched = start_.launched();
    Job job = flags_.resolve(count_gpus(), static_cast<int>(allowed_cores().size()), launched);
    job.max_time_s = parse_duration_s(max_time_, "--max-time");
    job.conditions.clear();
    const PoolSeat seat = seat_.resolve(job_name(job));
    const CrewPlan plan = plan_crew(launched, job.ranks);
    StatusLine line;
    CrewOptions options = start_.resolve();
    options.plan = plan;
    options.purpose = Purpose::train;
    options.pool = seat;
    options.samples = samples;
    options.on_tick = [&](const Collector& collector) {
      if (!plan.leads()) return;
      const auto& trained = collector.trained();
      line.show(trained ? describe(*trained) : collector.phase() + " …");
    };
    Profile profile = prepare_profile(job, graph_of(job), DataProgress());
    const CrewRun result = Crew().run(std::move(profile), options);
    if (result.trained && plan.leads()) print_or_write(render(*result.trained, format), "");
    if (result.fault && result.usage_fault) throw UsageError(*result.fault);
    if (result.fault) throw Error(*result.fault);
    return result.interrupted ? kExitInterrupted : 0;
  }

 private:
  std::optional<double> parse_samples() const {
    if (samples_.empty()) return std::nullopt;
    char* end = nullptr;
    const double count = std::strtod(samples_.c_str(), &end);
    if (end == samples_.c_str() || *end != '\0' || !(count >= 1) || !std::isfinite(count)) {
      throw UsageError(fmt::format("--samples takes a number from 1, not '{}'", samples_));
    }
    return count;
  }

  static double per_s(const TrainedSoFar& trained) { return trained.s > 0 ? trained.samples / trained.s : 0; }
  static double waiting_ratio(const TrainedSoFar& trained) {
    return trained.s > 0 ? std::min(trained.waited_s / trained.s, 1.0) : 0;
  }

  static std::string describe(const TrainedSoFar& trained) {
    return fmt::format("{} samples in {}: {} per second, {:.0f} % of the time waiting for input; {} workers per rank",
                       format_count(std::llround(trained.samples)), format_duration(trained.s),
                       pool_rate_text(per_s(trained)), 100 * waiting_ratio(trained), trained.workers);
  }

  static std::string render(const TrainedSoFar& trained, Format format) {
    if (format != Format::json) return describe(trained) + "\n";
    const nlohmann::ordered_json json{{"schema_version", 1},
                                      {"samples", trained.samples},
                                      {"s", trained.s},
                                      {"per_s", per_s(trained)},
                                      {"waiting_ratio", waiting_ratio(trained)},
                                      {"workers", trained.workers}};
    return json.dump(2) + "\n";
  }

  JobFlags flags_;
  SeatFlags seat_;
  StartFlags start_;
  std::string samples_;
  std::string max_time_ = "60s";
  FormatFlag format_{kTrainFormats, "text or json"};
};

}  // namespace

std::unique_ptr<Verb> make_share_train_verb() { return std::make_unique<ShareTrainVerb>(); }

}  // namespace stash
