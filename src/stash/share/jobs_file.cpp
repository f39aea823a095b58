#include "stash/share/jobs_file.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "stash/core/error.h"
#include "stash/core/file.h"
#include "stash/core/job.h"
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

int line_of(const toml::node& node) { return static_cast<int>(node.source().begin.line); }

// One table of the file: its keys are known, each value is of its type.
class Table {
 public:
  Table(const toml::table& table, std::string_view source, std::span<const std::string_view> known)
      : table_(table), source_(source) {
    for (const auto& [key, node] : table) {
      if (std::ranges::find(known, key.str()) != known.end()) continue;
      const std::string_view near = nearest(key.str(), known);
      fail(static_cast<int>(key.source().begin.line), key.str(),
           near.empty() ? "is unknown" : fmt::format("is unknown; did you mean '{}'?", near));
    }
  }

  [[noreturn]] void fail(int line, std::string_view key, std::string_view what) const {
    throw UsageError(fmt::format("{}, line {}: '{}' {}", source_, line, key, what));
  }
  [[noreturn]] void fail(std::string_view key, std::string_view what) const {
    const toml::node* node = table_.get(key);
    fail(node == nullptr ? line_of(table_) : line_of(*node), key, what);
  }

  std::string text(std::string_view key) const {
    const toml::node* node = table_.get(key);
    if (node == nullptr) return "";
    const auto value = node->value_exact<std::string>();
    if (!value || value->empty()) fail(key, "must be a text in quotes");
    return *value;
  }

  std::optional<int> count(std::string_view key, int most) const {
    const toml::node* node = table_.get(key);
    if (node == nullptr) return std::nullopt;
    const auto value = node->value_exact<std::int64_t>();
    if (!value || *value < 1 || *value > most) fail(key, fmt::format("must be a whole number from 1 to {}", most));
    return static_cast<int>(*value);
  }

  std::optional<double> number(std::string_view key) const {
    const toml::node* node = table_.get(key);
    if (node == nullptr) return std::nullopt;
    const auto value = node->is_number() ? node->value<double>() : std::nullopt;
    if (!value || !(*value > 0) || !std::isfinite(*value)) fail(key, "must be a number above 0");
    return value;
  }

  double duration_s(std::string_view key) const {
    const std::string given = text(key);
    if (given.empty()) return 0;
    try {
      return parse_duration_s(given, key);
    } catch (const UsageError& error) {
      fail(key, fmt::format("is not a duration: {}", error.what()));
    }
  }

  std::vector<std::string> words(std::string_view key) const {
    const toml::node* node = table_.get(key);
    if (node == nullptr) return {};
    const toml::array* array = node->as_array();
    std::vector<std::string> found;
    if (array != nullptr && array->size() <= kMostWords) {
      for (const toml::node& word : *array) {
        if (const auto value = word.value_exact<std::string>()) found.push_back(*value);
      }
    }
    if (found.empty() || found.size() != array->size()) {
      fail(key, "must be a list of texts, the program first: [\"python\", \"train.py\"]");
    }
    return found;
  }

 private:
  const toml::table& table_;
  std::string_view source_;
};

void check_name(const Table& table, const std::string& name) {
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
  const Table table(toml_table, source, kJobKeys);
  JobEntry job{.name = table.text("name"),
               .command = table.words("command"),
               .folder = table.text("folder"),
               .profile = table.text("profile"),
               .curve = table.text("curve"),
               .arrives_s = table.duration_s("arrives"),
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
  const Table table(document, source, kTopKeys);
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
