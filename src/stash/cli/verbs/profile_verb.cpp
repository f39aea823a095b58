#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <exception>

#include "stash/attribute/attribute.h"
#include "stash/battery/run_case.h"
#include "stash/catalog/job_memory.h"
#include "stash/cli/exit_codes.h"
#include "stash/cli/flags/job_flags.h"
#include "stash/cli/flags/start_flags.h"
#include "stash/cli/output.h"
#include "stash/cli/progress.h"
#include "stash/cli/run_progress.h"
#include "stash/cli/verbs/profile_examples.h"
#include "stash/cli/verbs/verb.h"
#include "stash/core/error.h"
#include "stash/core/profile_json.h"
#include "stash/launch/cluster/crew_plan.h"
#include "stash/launch/machine_info.h"
#include "stash/launch/process/affinity.h"
#include "stash/models/job_graph.h"

namespace stash {
namespace {

class ProfileVerb final : public Verb {
 public:
  std::string name() const override { return "profile"; }
  std::string description() const override { return "Measure a built-in model and what each kind of stall costs"; }

  void add_flags(CLI::App& app) override {
    flags_.add_to(app);
    add_profile_out(app, out_);
    app.add_flag(
        "--try", tries_,
        "Measure fixes too, each beside the conditions of the same rounds; say what was tried and what was not");
    output_.add_to(app);
    start_.add_to(app);
    app.footer(
        std::string(kProfileExamples) +
        "  stash profile --inject rank1=+30ms                        what would a late rank cost?\n"
        "Several machines, under the launcher that you have (docs/clusters.md):\n"
        "  torchrun --no-python --nnodes 2 --nproc-per-node 4 --rdzv-endpoint HOST:29500 stash profile --model vgg11\n"
        "  mpirun -np 8 --hostfile hosts stash profile --model vgg11\n"
        "  srun -N 2 --ntasks-per-node 4 stash profile --model vgg11\n");
  }

  int run() override {
    output_.check();
    start_.check();
    const std::optional<LaunchedProcess> launched = start_.launched();
    const Job job = flags_.resolve(count_gpus(), static_cast<int>(allowed_cores().size()), launched);
    const CrewPlan plan = plan_crew(launched, job.ranks);
    leads_ = plan.leads();
    first_rank_ = plan.first_rank;
    const Graph graph = graph_of(job);
    check_memory(job, graph, plan.local_size, static_cast<double>(available_memory_bytes()));
    if (leads_) check_writable(out_);
    if (leads_ && !flags_.device && !job.device.is_cuda()) tell_emulated(job);
    RunProgress progress;
    Profile profile = prepare_profile(job, graph, DataProgress());
    CrewOptions options = start_.resolve();
    options.plan = plan;
    options.tries = tries_;
    options.on_tick = [&](const Collector& collector) {
      if (leads_) progress.show(collector);
    };
    const CrewRun result = Crew().run(std::move(profile), options);
    return leads_ ? finish(result) : finish_elsewhere(result);
  }

 private:
  static void tell_emulated(const Job& job) {
    StatusLine().say(
        fmt::format("no GPU here: the ranks' GPUs are emulated ({}), all else is real; --device cpu trains on the CPU",
                    job.device.text()));
  }

  // A full disk must not take the report away too: it is told after the report.
  std::exception_ptr save(const Profile& profile) const {
    try {
      write_profile(out_, profile);
      return nullptr;
    } catch (const Error&) {
      return std::current_exception();
    }
  }

  // Rank 0's process has the profile. Should it be lost, any other's has all windows so far.
  int finish_elsewhere(const CrewRun& result) {
    if (result.fault && result.lost_rank_0 && !result.profile.windows.empty()) {
      out_ += fmt::format(".rank{}", first_rank_);
      return finish(result);
    }
    if (result.fault) throw Error(*result.fault);
    return result.interrupted ? kExitInterrupted : 0;
  }

  // What was measured is kept and shown, whatever happened.
  int finish(const CrewRun& result) const {
    const bool saved = !result.profile.windows.empty();
    const std::exception_ptr not_saved = saved ? save(result.profile) : nullptr;
    const bool has_ledger = count_complete_rounds(result.profile) >= kFewestRounds;
    if (has_ledger) output_.print(result.profile);
    if (not_saved) std::rethrow_exception(not_saved);
    StatusLine line;
    if (saved) line.say(fmt::format("profile: {}{}", out_, result.profile.complete ? "" : " (incomplete)"));
    if (result.fault) {
      if (result.usage_fault) throw UsageError(*result.fault);
      throw Error(*result.fault);
    }
    if (!result.interrupted) return 0;
    if (!has_ledger) line.say("stopped before two rounds were complete: there is no ledger yet");
    return kExitInterrupted;
  }

  JobFlags flags_;
  ReportOutput output_;
  std::string out_ = "stash-profile.json";
  StartFlags start_;
  bool tries_ = false;
  bool leads_ = true;
  int first_rank_ = 0;
};

}  // namespace

std::unique_ptr<Verb> make_profile_verb() { return std::make_unique<ProfileVerb>(); }

}  // namespace stash
