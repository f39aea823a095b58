#include "stash/cli/script_flags.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>

#include "stash/cli/job_flags.h"
#include "stash/core/error.h"
#include "stash/core/units.h"

namespace stash {

std::string script_name(const std::vector<std::string>& command) {
  const auto script =
      std::find_if(command.begin(), command.end(), [](const auto& word) { return word.ends_with(".py"); });
  return std::filesystem::path(script == command.end() ? command.front() : *script).filename().string();
}

void ScriptFlags::add_to(CLI::App& app) {
  app.add_option("--data", data,
                 "Folder or file that the script reads; default: files that its samples are seen to open")
      ->type_name("PATH");
  app.add_option("--conditions", conditions, "Part of the chain solo,apart,node,staged,hot,cold")->type_name("LIST");
  app.add_option("--precision", precision, "Stop when every part is known to this share of the step")
      ->type_name("RATIO")
      ->capture_default_str();
  app.add_option("--max-time", max_time, "Stop after this time in any case, counted from the first round")
      ->type_name("TIME")
      ->capture_default_str();
  app.add_option("--seed", seed, "Of the order of windows")->type_name("N")->capture_default_str();
  app.add_option("--inject", inject, "Stalls on purpose: rank1=+30ms,link=1Gbit/s")->type_name("LIST");
  app.add_option("command", command, "The command and its arguments, after --")->type_name("COMMAND")->required();
  app.positionals_at_end();
}

Job ScriptFlags::resolve() const {
  Job job;
  job.model = script_name(command);
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
