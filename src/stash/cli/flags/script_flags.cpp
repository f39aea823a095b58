#include "stash/cli/flags/script_flags.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>

#include "stash/cli/flags/job_flags.h"
#include "stash/core/error.h"
#include "stash/core/units.h"

namespace stash {

void ScriptFlags::add_to(CLI::App& app) {
  app.add_option("--data", data,
                 "Folder or file that the script reads; default: the files that it opens while loading samples")
      ->type_name("PATH");
  app.add_option("--conditions", conditions, conditions_help())->type_name("LIST");
  app.add_option("--precision", precision,
                 "Stop when the 95 % interval of every part is within ± this share of the step")
      ->type_name("RATIO")
      ->capture_default_str();
  app.add_option("--max-time", max_time, "Time limit, counted from the first round; two rounds are always measured")
      ->type_name("TIME")
      ->capture_default_str();
  app.add_option("--seed", seed, "Random seed for the window order")->type_name("N")->capture_default_str();
  app.add_option("--inject", inject, "Stalls to inject: rank1=+30ms,link=1Gbit/s,link:tp=1Gbit/s")->type_name("LIST");
  app.add_option("command", command, "The command and its arguments, after --")->type_name("COMMAND")->required();
  app.positionals_at_end();
}

Job ScriptFlags::resolve() const {
  Job job;
  job.model.clear();
  job.command = command;
  job.data = data;
  if (!data.empty() && !std::filesystem::exists(data)) {
    throw UsageError(fmt::format("--data {}: there is no such file or folder", data));
  }
  job.conditions = parse_conditions(conditions);
  job.precision_ratio = parse_ratio(precision, "--precision");
  job.max_time_s = parse_duration_s(max_time, "--max-time");
  job.seed = seed;
  job.inject = parse_injection(inject);
  if (job.inject.read_bytes_per_s || job.inject.prep_s_per_sample || job.inject.warmup_s) {
    throw UsageError(fmt::format(
        "--inject {}: a script's own input cannot be slowed down; rank1=+30ms and link=1Gbit/s can", inject));
  }
  return job;
}

}  // namespace stash
