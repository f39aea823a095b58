#pragma once

#include <optional>
#include <string>
#include <vector>

#include "stash/battery/battery.h"
#include "stash/battery/budget.h"
#include "stash/cli/flags/job_flags.h"
#include "stash/cli/flags/usd_flag.h"
#include "stash/launch/cluster/launched_process.h"

namespace CLI {
class App;
}

namespace stash {

// Processes that a launcher started, and on how many machines.
struct LaunchedBattery {
  LaunchedProcess process;
  int machines = 1;
};

// A battery as it stands on the command line or in a job file; what is not given follows from the machine.
class CharacterizeFlags {
 public:
  void add_to(CLI::App& app);
  // Takes over the keys of the job file, which are the flags' names; the command line stands over them. UsageError
  // names the key or the flag at fault.
  void resolve();

  // True where nothing was said about the cases: a folder that has a plan resumes with it.
  bool says_nothing_of_cases() const;
  // The cases on this machine, or with all ranks of a launch, in the order in which they are to be run.
  Battery battery(int gpus, int cores, const std::optional<LaunchedBattery>& launched) const;
  Battery settings(const std::optional<LaunchedBattery>& launched) const;  // without cases
  void set_case_time(std::vector<Case>& cases) const;                      // of a plan, where --case-time was given
  Caps caps(const std::optional<LaunchedBattery>& launched) const;
  bool retry() const { return retry_; }
  std::string storage;  // the folder that is timed; empty: that of the battery

 private:
  void read_job_file();
  Case make_case(const Combination& combination, int gpus, int cores,
                 const std::optional<LaunchedBattery>& launched) const;
  Axes axes(int gpus, int cores, const std::optional<LaunchedBattery>& launched) const;

  CLI::App* app_ = nullptr;
  std::string job_file_;
  std::string models_ = "all";
  std::string batches_, ranks_, nodes_ = "1";
  JobFlags job_;
  std::string max_time_, max_cost_;
  UsdFlag price_;
  std::optional<double> usd_per_h_, epoch_samples_;  // the price: given, or that of --instance
  std::string instance_;
  bool retry_ = false;
  Caps caps_;
};

}  // namespace stash
