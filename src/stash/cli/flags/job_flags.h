#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "stash/core/job.h"
#include "stash/launch/cluster/launched_process.h"

namespace CLI {
class App;
}

namespace stash {

// A job as it stands on the command line; what is not given follows from the machine.
struct JobFlags {
  std::optional<std::string> model;
  std::optional<int> batch;
  std::optional<int> image_size;
  std::optional<int> seq_len;
  std::optional<std::string> device;
  std::string dtype = "fp32";
  bool channels_last = false;
  std::optional<int> ranks;
  std::optional<std::string> backend;
  std::string bucket = "25MiB";
  std::string data;
  std::optional<int> workers;
  int prefetch = 2;
  std::string loader = "stash";
  std::string conditions;
  std::string precision = "2%";
  std::string max_time = "120s";
  int rounds = 0;
  std::uint64_t seed = 1;
  std::string inject;

  // Declares these flags, by their names without dashes; all of them where none is named. Their texts and defaults are
  // the same for every command, unless it sets another on the option.
  void add_to(CLI::App& app, std::initializer_list<std::string_view> which = {});
  // The job, checked against the models, the devices and the machine. UsageError names the flag at fault.
  Job resolve(int gpus, int cores, const std::optional<LaunchedProcess>& launched) const;

 private:
  int all_ranks(int gpus, bool on_gpus, const std::optional<LaunchedProcess>& launched) const;
};

// The type name of --dtype, as help shows it.
std::string dtype_names();

// The help of --conditions.
std::string conditions_help();
// A comma list of conditions, in the chain's order; UsageError names the nearest.
std::vector<Condition> parse_conditions(const std::string& list);

}  // namespace stash
