#include "stash/share/jobs_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "stash/core/error.h"
#include "stash/core/file.h"
#include "stash/core/job.h"
#include "stash/core/toml_table.h"
#include "stash/core/units.h"
#include "stash/share/allocate.h"

namespace stash {
namespace {

constexpr std::size_t kMostBytes = 4 << 20;
constexpr std::size_t kMostJobs = 10'000;
constexpr std::size_t kMostWords = 4096;  // of a command
constexpr std::size_t kMostName = 64;     // bytes

constexpr std::array<std::string_view, 3> kTopKeys{"cores", "gpus", "job"};
constexpr std::array<std::string_view, 9> kJobKeys{"name",    "command", "folder",      "profile",    "curve",
                                                   "arrives", "samples", "min_workers", "max_workers"};

std::vector<std::string> command_words(const TomlTable& table, std::string_view key) {
  if (!table.has(key)) return {};
  const toml::array* const array = table.array(key);
  std::vector<std::string> found;
  if (array != nullptr && array->size() <= kMostWords) {
    for (const toml::node& word : *array) {
      if (const auto value = word.value_exact<std::string>()) found.push_back(*value);
    }
  }
  if (found.empty() || found.size() != array->size()) {
    table.fail(key, "must be a list of texts, the program first: [\"python\", \"train.py\"]");
  }
  return found;
}

void check_name(const TomlTable& table, const std::string& name) {
  const bool plain = std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
           c == '.';
  });
  if (name.empty()) table.fail("name", "is missing");
  if (!plain || name.size() > kMostName) {
    table.fail("name", fmt::format("must have up to {} letters, digits, '-', '_' or '.'", kMostName));
  }
}

JobEntry read_entry(const toml::table& toml_table, std::string_view source) {
  const TomlTable table(toml_table, std::string(source), kJobKeys);
  JobEntry job{.name = table.text("name"),
               .command = command_words(table, "command"),
               .folder = table.text("folder"),
               .profile = table.text("profile"),
               .curve = table.text("curve"),
               .arrives_s = table.duration_s("arrives").value_or(0),
               .samples = table.number("samples"),
               .min_workers = table.count("min_workers", kMostWorkersPerRank).value_or(1),
               .max_workers = table.count("max_workers", kMostWorkersPerRank),
               .line = line_of(toml_table)};
  check_name(table, job.name);
  if (job.max_workers && *job.max_workers < job.min_workers) table.fail("max_workers", "is below min_workers");
  if (!job.profile.empty() && !job.curve.empty()) table.fail("curve", "is given beside 'profile': keep one of them");
  return job;
}

toml::table parse(std::string_view text, std::string_view source) {
  try {
    return toml::parse(text, source);
  } catch (const toml::parse_error& error) {
    throw UsageError(fmt::format("{}, line {}: {}", source, error.source().begin.line, error.description()));
  }
}

}  // namespace

JobsFile parse_jobs(std::string_view text, std::string_view source) {
  const toml::table document = parse(text, source);
  const TomlTable table(document, std::string(source), kTopKeys);
  JobsFile file{
      .cores = table.count("cores", kMostSharedCores), .gpus = table.count("gpus", kMostSharedJobs), .jobs = {}};
  const toml::node* node = document.get("job");
  const toml::array* jobs = node == nullptr ? nullptr : node->as_array();
  if (jobs == nullptr || jobs->empty() || jobs->size() > kMostJobs) {
    throw UsageError(fmt::format("{}: it needs 1 to {} jobs, each a [[job]]", source, kMostJobs));
  }
  std::set<std::string> names;
  for (const toml::node& entry : *jobs) {
    const toml::table* job = entry.as_table();
    if (job == nullptr) throw UsageError(fmt::format("{}, line {}: 'job' must be a [[job]]", source, line_of(entry)));
    file.jobs.push_back(read_entry(*job, source));
    if (!names.insert(file.jobs.back().name).second) {
      throw UsageError(fmt::format("{}, line {}: 'name' is '{}' as of a job before it; give each its own", source,
                                   file.jobs.back().line, file.jobs.back().name));
    }
  }
  return file;
}

JobsFile read_jobs(const std::filesystem::path& path) { return parse_jobs(read_file(path, kMostBytes), path.string()); }

}  // namespace stash
