#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>

#include "stash/cli/job_flags.h"
#include "stash/cli/progress.h"
#include "stash/cli/start_flags.h"
#include "stash/cli/verb.h"
#include "stash/core/error.h"
#include "stash/core/profile_json.h"
#include "stash/core/units.h"
#include "stash/launch/affinity.h"
#include "stash/launch/machine_info.h"
#include "stash/report/links.h"

namespace stash {
namespace {

class LinksVerb final : public Verb {
 public:
  std::string name() const override { return "links"; }
  std::string description() const override { return "Time the links between ranks, inside a node and across"; }

  void add_flags(CLI::App& app) override {
    app.add_option("--ranks", flags_.ranks, "Processes on this machine, where no launcher started them")
        ->type_name("N");
    app.add_option("--device", flags_.device, "cpu or cuda: where the tensors are")->type_name("NAME");
    app.add_option("--backend", flags_.backend, "gloo, nccl or any other that torch knows")->type_name("NAME");
    app.add_option("--max-size", most_, "The largest call; sizes stop earlier where one takes longer than a second")
        ->type_name("SIZE")
        ->capture_default_str();
    app.add_option("--inject", flags_.inject, "A slower link on purpose: link=1Gbit/s")->type_name("LIST");
    app.add_option("--format", format_, "text, json or csv")->capture_default_str();
    start_.add_to(app);
    app.footer(
        "Examples:\n"
        "  stash links --ranks 2 --max-size 16MB\n"
        "  torchrun --no-python --nnodes 2 --nproc-per-node 4 --rdzv-endpoint HOST:29500 stash links\n"
        "Bandwidths are those of nccl-tests: bytes over time, and what the slowest link carries for that.\n");
  }

  int run() override {
    const ListFormat format = parse_list_format(format_);
    start_.check();
    const auto placement = start_.placement();
    if (!flags_.device && count_gpus() == 0) flags_.device = "cpu";
    Profile profile;
    profile.job = flags_.resolve(count_gpus(), static_cast<int>(allowed_cores().size()), placement);
    profile.job.bucket_bytes = parse_bytes(most_, "--max-size");
    if (profile.job.ranks < 2) throw UsageError("one rank has no link: use --ranks, or start it under a launcher");
    const Team team = make_team(placement, profile.job.ranks);
    profile.machine = describe_machine("");
    StatusLine line;
    const auto show = [&](const Collector& collector) {
      if (team.leads()) line.show(collector.phase() + " …");
    };
    const LocalRun result = start_.start(std::move(profile), team, {.purpose = "links", .on_tick = show});
    if (result.fault) throw Error(*result.fault);
    if (result.interrupted) return kExitInterrupted;
    if (team.leads()) fmt::print("{}", render_links(result.profile, format));
    return 0;
  }

 private:
  JobFlags flags_;
  StartFlags start_;
  std::string most_ = "256MiB";
  std::string format_ = "text";
};

}  // namespace

std::unique_ptr<Verb> make_links_verb() { return std::make_unique<LinksVerb>(); }

}  // namespace stash
