#include <fmt/format.h>

#include <map>

#include "stash/attribute/round_table.h"
#include "stash/core/injection.h"
#include "stash/core/units.h"
#include "stash/report/html/markup.h"
#include "stash/report/html/sections.h"

namespace stash {

namespace {

constexpr std::size_t kMostWords = 40;  // of a command

std::string command_of(const Job& job) {
  std::string text;
  for (std::size_t i = 0; i < job.command.size() && i < kMostWords; ++i) text += (i ? " " : "") + job.command[i];
  return text;
}

std::string count_or_nothing(std::optional<std::int64_t> count) { return count ? format_count(*count) : ""; }

std::string bytes_or_nothing(std::optional<std::int64_t> bytes) {
  return bytes ? format_bytes(static_cast<double>(*bytes)) : "";
}

std::string gpus_of(const Machine& machine) {
  std::map<std::string, int> counts;
  for (const GpuInfo& gpu : machine.gpus) ++counts[gpu.name];
  std::string text;
  for (const auto& [name, count] : counts) text += fmt::format("{}{} x {}", text.empty() ? "" : ", ", count, name);
  return text;
}

std::string job_facts(const Profile& profile) {
  const Job& job = profile.job;
  return facts({{"model", job_name(job)},
                {"command", command_of(job)},
                {"batch per rank", job.batch > 0 ? fmt::format("{}", job.batch) : ""},
                {"ranks", fmt::format("{} on {} node(s)", job.ranks, node_count(profile))},
                {"device", job.device.text()},
                {"numbers", job.dtype},
                {"backend", job.backend},
                {"bucket", format_bytes(static_cast<double>(job.bucket_bytes))},
                {"gradient buckets", profile.buckets.empty() ? "" : fmt::format("{}", profile.buckets.size())},
                {"data", job.data},
                {"samples", count_or_nothing(profile.dataset_samples)},
                {"data set", bytes_or_nothing(profile.dataset_bytes)},
                {"cache of a node", bytes_or_nothing(profile.cache_bytes)},
                {"workers of a rank", fmt::format("{}", job.workers)},
                {"injected stalls", job.inject.empty() ? "" : to_string(job.inject)}});
}

std::string machine_facts(const Machine& machine) {
  std::vector<std::pair<std::string, std::string>> rows{
      {"host", machine.hostname},
      {"CPU", machine.cpu},
      {"cores", machine.cores > 0 ? fmt::format("{}", machine.cores) : ""},
      {"memory", machine.memory_bytes > 0 ? format_bytes(static_cast<double>(machine.memory_bytes)) : ""},
      {"GPUs", gpus_of(machine)},
      {"kernel", machine.kernel},
      {"disk", machine.disk.value_or("")}};
  for (const auto& [name, version] : machine.versions) {
    if (rows.size() < kMostWords) rows.emplace_back(name, version);
  }
  return facts(rows);
}

}  // namespace

Section machine_section(const Report& report) {
  return {"machine", "Machine and job",
          "<h3>Job</h3>\n" + job_facts(report.profile) + "<h3>Machine</h3>\n" + machine_facts(report.profile.machine)};
}

}  // namespace stash
