#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "stash/cli/job_flags.h"
#include "stash/cli/own_files.h"
#include "stash/cli/progress.h"
#include "stash/cli/start_flags.h"
#include "stash/cli/verb.h"
#include "stash/core/error.h"
#include "stash/core/units.h"
#include "stash/core/version.h"
#include "stash/launch/affinity.h"
#include "stash/launch/machine_info.h"
#include "stash/report/printable.h"

namespace stash {
namespace {

class DoctorVerb final : public Verb {
 public:
  std::string name() const override { return "doctor"; }
  std::string description() const override { return "Say what is seen of launcher, ranks and hosts, and what to fix"; }

  void add_flags(CLI::App& app) override {
    app.add_option("--ranks", flags_.ranks, "Processes on this machine, where no launcher starts them")->type_name("N");
    app.add_option("--device", flags_.device, "cpu, cuda or emulated:<gpu>")->type_name("NAME");
    app.add_option("--backend", flags_.backend, "gloo, nccl or any other that torch knows")->type_name("NAME");
    start_.add_to(app);
    app.footer(
        "Examples:\n"
        "  stash doctor\n"
        "  srun -N 2 --ntasks-per-node 4 stash doctor\n"
        "Ends with 1 where something is to be fixed. Start it with the launcher and the flags of your job.\n");
  }

  int run() override {
    start_.check();
    const auto placement = start_.placement();
    if (!placement || placement->rank == 0) show_placement(placement);
    Profile profile;
    profile.job = flags_.resolve(count_gpus(), static_cast<int>(allowed_cores().size()), placement);
    profile.machine = describe_machine("");
    const Team team = make_team(placement, profile.job.ranks);
    if (team.leads()) show_meeting(team, profile);
    const LocalRun result = start_.start(std::move(profile), team, {.purpose = "doctor"});
    if (result.interrupted) return kExitInterrupted;
    if (result.fault) {
      if (!team.leads()) throw Error(*result.fault);
      show({.well = false, .text = *result.fault, .fix = ""});
      return 1;
    }
    if (!team.leads()) return 0;
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

  static void show_placement(const std::optional<Placement>& placement) {
    fmt::print("stash {}\n", version_text());
    if (!placement) {
      fmt::print("no launcher of several processes is seen in the environment: ranks are started here\n");
      return;
    }
    fmt::print("launcher: {}, from\n", placement->launcher);
    for (const auto& [name, value] : placement->read) fmt::print("      {}={}\n", name, printable(value));
    std::fflush(stdout);
  }

  static void show_meeting(const Team& team, const Profile& profile) {
    fmt::print("{}: {} of {} ranks start here", printable(profile.machine.hostname), team.count, team.size);
    if (!team.address.empty()) {
      fmt::print("; all meet at {}:{}, over {}", team.address, team.port, printable(team.interface));
    }
    fmt::print("; {} on {}\n", profile.job.backend, profile.job.device);
    std::fflush(stdout);
  }

  JobFlags flags_;
  StartFlags start_;
};

}  // namespace

std::unique_ptr<Verb> make_doctor_verb() { return std::make_unique<DoctorVerb>(); }

}  // namespace stash
