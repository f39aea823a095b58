#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "stash/catalog/instances.h"
#include "stash/catalog/topology/topology_check.h"
#include "stash/catalog/user_catalogue.h"
#include "stash/cli/exit_codes.h"
#include "stash/cli/flags/format_flag.h"
#include "stash/cli/flags/job_flags.h"
#include "stash/cli/flags/start_flags.h"
#include "stash/cli/progress.h"
#include "stash/cli/verbs/verb.h"
#include "stash/cli/wiring_here.h"
#include "stash/core/error.h"
#include "stash/core/file.h"
#include "stash/core/profile_json.h"
#include "stash/core/units.h"
#include "stash/launch/machine_info.h"
#include "stash/launch/process/affinity.h"
#include "stash/report/links_report.h"
#include "stash/report/topology_report.h"

namespace stash {
namespace {

constexpr std::size_t kLargestMatrix = 1 << 20;  // of 80 devices: 60 kB

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
    app.add_option("--topology", topology_, "Saved output of 'nvidia-smi topo -m': explains it and times nothing")
        ->type_name("FILE");
    app.add_option("--instance", instance_, "Name of the machine in the catalogue, to compare its topology with")
        ->type_name("NAME");
    format_.add_to(app);
    start_.add_to(app);
    app.footer(
        "Examples:\n"
        "  stash links --ranks 2 --max-size 16MB\n"
        "  stash links --topology topo.txt --instance p3.16xlarge\n"
        "  torchrun --no-python --nnodes 2 --nproc-per-node 4 --rdzv-endpoint HOST:29500 stash links\n"
        "Bandwidths are those of nccl-tests: algorithm bandwidth (bytes over time) and bus bandwidth (what each link "
        "carries).\n");
  }

  int run() override {
    const Format format = format_.get();
    catalogue_ = read_catalogue();
    if (!instance_.empty()) type_ = &find_instance(catalogue_.instances, instance_);
    if (!topology_.empty()) return explain_saved(format);
    start_.check();
    const auto launched = start_.launched();
    if (!flags_.device && count_gpus() == 0) flags_.device = "cpu";
    Profile profile;
    profile.job = flags_.resolve(count_gpus(), static_cast<int>(allowed_cores().size()), launched);
    const std::int64_t max_link_bytes = parse_bytes(most_, "--max-size");
    if (max_link_bytes < kSmallestLinkBytes) {
      throw UsageError(fmt::format("--max-size {}: sizes begin at 1 KiB; give more, like 256MiB", most_));
    }
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
    if (!plan.leads()) return 0;
    const std::optional<TopologyFindings> here = examine_this_machine(type_, catalogue_.instances);
    fmt::print("{}", render_links(result.profile, format, here ? &*here : nullptr));
    return 0;
  }

 private:
  int explain_saved(Format format) const {
    if (format == Format::csv) throw UsageError("--topology has no csv; use --format text or json");
    const SmiMatrix matrix = parse_smi_matrix(read_file(topology_, kLargestMatrix), topology_);
    const TopologyFindings findings =
        examine({.matrix = matrix, .gpu = type_ ? known_gpu(*type_) : nullptr, .type = type_, .slots = {}});
    const nlohmann::json json{{"schema_version", 1}, {"topology", topology_json(findings)}};
    fmt::print("{}", format == Format::json ? dump_json(json, 1) + "\n" : topology_text(findings));
    return 0;
  }

  JobFlags flags_;
  StartFlags start_;
  std::string most_ = "256MiB";
  std::string topology_;
  std::string instance_;
  Catalogue catalogue_;
  const Instance* type_ = nullptr;  // of catalogue_; nullptr: not named
  FormatFlag format_ = list_format();
};

}  // namespace

std::unique_ptr<Verb> make_links_verb() { return std::make_unique<LinksVerb>(); }

}  // namespace stash
