#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "stash/cli/exit_codes.h"
#include "stash/cli/flags/job_flags.h"
#include "stash/cli/flags/start_flags.h"
#include "stash/cli/own_files.h"
#include "stash/cli/progress.h"
#include "stash/cli/verbs/verb.h"
#include "stash/core/error.h"
#include "stash/core/units.h"
#include "stash/core/version.h"
#include "stash/launch/machine_info.h"
#include "stash/launch/process/affinity.h"
#include "stash/report/printable.h"

namespace stash {
namespace {

class DoctorVerb final : public Verb {
 public:
  std::string name() const override { return "doctor"; }
  std::string description() const override { return "Find out why a job does not start: launcher, ranks, hosts"; }

  void add_flags(CLI::App& app) override {
    flags_.add_to(app, {"ranks", "device", "backend"});
    app.get_option("--ranks")->description(
        "Processes on this machine, unless a launcher starts them; default: one per GPU, or 2 without a GPU");
    start_.add_to(app);
    app.footer(
        "Examples:\n"
        "  stash doctor\n"
        "  srun -N 2 --ntasks-per-node 4 stash doctor\n"
        "Exits with 1 if it finds a problem. Start it with the launcher and the flags of your job.\n");
  }

  int run() override {
    start_.check();
    const auto launched = start_.launched();
    if (!launched || launched->rank == 0) show_launcher(launched);
    Profile profile;
    profile.job = flags_.resolve(count_gpus(), static_cast<int>(allowed_cores().size()), launched);
    profile.machine = describe_machine("");
    const CrewPlan plan = plan_crew(launched, profile.job.ranks);
    if (plan.leads()) show_meeting(plan, profile);
    CrewOptions options = start_.resolve();
    options.plan = plan;
    options.purpose = Purpose::doctor;
    const CrewRun result = Crew().run(std::move(profile), options);
    if (result.interrupted) return kExitInterrupted;
    if (result.fault) {
      if (!plan.leads()) throw Error(*result.fault);
      show({.well = false, .text = *result.fault, .fix = ""});
      return kExitFault;
    }
    if (!plan.leads()) return 0;
    show({.text = "all ranks came, have the same versions and flags, and reach each other", .fix = ""});
    bool well = true;
    for (const Check& check : check_ranks(result.facts)) {
      show(check);
      well = well && check.well;
    }
    return well ? 0 : 1;
  }

 private:
  static void show(const Check& check) {
    fmt::print("{:<6}{}\n", check.well ? "ok" : "FIX", printable(check.text, true, 4000));
    if (!check.fix.empty()) fmt::print("      {}\n", check.fix);
    std::fflush(stdout);
  }

  static void show_launcher(const std::optional<LaunchedProcess>& launched) {
    fmt::print("stash {}\n", version_text());
    if (!launched) {
      fmt::print("no launcher of several processes is seen in the environment: ranks are started here\n");
      return;
    }
    fmt::print("launcher: {}, from\n", launched->launcher);
    for (const auto& [name, value] : launched->read) fmt::print("      {}={}\n", name, printable(value));
    std::fflush(stdout);
  }

  static void show_meeting(const CrewPlan& plan, const Profile& profile) {
    fmt::print("{}: {} of {} ranks start here", printable(profile.machine.hostname), plan.count, plan.size);
    if (!plan.meeting.address.empty()) {
      fmt::print("; all meet at {}:{}, over {}", plan.meeting.address, plan.meeting.port, printable(plan.interface));
    }
    fmt::print("; {} on {}\n", profile.job.backend, profile.job.device.text());
    std::fflush(stdout);
  }

  JobFlags flags_;
  StartFlags start_;
};

}  // namespace

std::unique_ptr<Verb> make_doctor_verb() { return std::make_unique<DoctorVerb>(); }

}  // namespace stash
