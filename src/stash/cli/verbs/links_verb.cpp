#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>

#include "stash/cli/exit_codes.h"
#include "stash/cli/flags/format_flag.h"
#include "stash/cli/flags/job_flags.h"
#include "stash/cli/flags/start_flags.h"
#include "stash/cli/progress.h"
#include "stash/cli/verbs/verb.h"
#include "stash/core/error.h"
#include "stash/core/profile_json.h"
#include "stash/core/units.h"
#include "stash/launch/machine_info.h"
#include "stash/launch/process/affinity.h"
#include "stash/report/links_report.h"

namespace stash {
namespace {

class LinksVerb final : public Verb {
 public:
  std::string name() const override { return "links"; }
  std::string description() const override { return "Time the links between ranks, inside a node and across"; }

  void add_flags(CLI::App& app) override {
    flags_.add_to(app, {"ranks", "device", "backend", "inject"});
    app.get_option("--ranks")->description(
        "Processes on this machine, unless a launcher starts them; default: one per GPU, or 2 without a GPU");
    app.get_option("--device")->description("cpu or cuda: where the tensors are");
    app.get_option("--inject")->description("Stall to inject: link=1Gbit/s");
    app.add_option("--max-size", most_, "Largest size; the sweep ends earlier if one call takes longer than a second")
        ->type_name("SIZE")
        ->capture_default_str();
    format_.add_to(app);
    start_.add_to(app);
    app.footer(
        "Examples:\n"
        "  stash links --ranks 2 --max-size 16MB\n"
        "  torchrun --no-python --nnodes 2 --nproc-per-node 4 --rdzv-endpoint HOST:29500 stash links\n"
        "Bandwidths are those of nccl-tests: bytes over time, and what the slowest link carries for that.\n");
  }

  int run() override {
    const Format format = format_.get();
    start_.check();
    const auto launched = start_.launched();
    if (!flags_.device && count_gpus() == 0) flags_.device = "cpu";
    Profile profile;
    profile.job = flags_.resolve(count_gpus(), static_cast<int>(allowed_cores().size()), launched);
    const std::int64_t max_link_bytes = parse_bytes(most_, "--max-size");
    if (max_link_bytes < 1) throw UsageError("--max-size must hold at least a byte, like 256MiB");
    if (profile.job.ranks < 2) throw UsageError("one rank has no link: use --ranks, or start it under a launcher");
    const CrewPlan plan = plan_crew(launched, profile.job.ranks);
    profile.machine = describe_machine("");
    StatusLine line;
    CrewOptions options = start_.resolve();
    options.plan = plan;
    options.purpose = Purpose::links;
    options.max_link_bytes = max_link_bytes;
    options.on_tick = [&](const Collector& collector) {
      if (plan.leads()) line.show(collector.phase() + " …");
    };
    const CrewRun result = Crew().run(std::move(profile), options);
    if (result.fault) throw Error(*result.fault);
    if (result.interrupted) return kExitInterrupted;
    if (plan.leads()) fmt::print("{}", render_links(result.profile, format));
    return 0;
  }

 private:
  JobFlags flags_;
  StartFlags start_;
  std::string most_ = "256MiB";
  FormatFlag format_ = list_format();
};

}  // namespace

std::unique_ptr<Verb> make_links_verb() { return std::make_unique<LinksVerb>(); }

}  // namespace stash
