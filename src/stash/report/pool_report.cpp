#include "stash/report/pool_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "stash/core/units.h"
#include "stash/core/version.h"
#include "stash/report/columns.h"
#include "stash/report/ledger_json.h"
#include "stash/report/printable.h"

namespace stash {
namespace {

constexpr int kPoolSchemaVersion = 1;
constexpr std::size_t kShownMoments = 8;

bool is_gone(const PoolJob& job) { return job.state == PoolJobState::left || job.state == PoolJobState::died; }

std::string jobs_text(std::size_t jobs) { return fmt::format("{} job{}", jobs, jobs == 1 ? "" : "s"); }

std::string percent_text(std::optional<double> ratio) { return ratio ? fmt::format("{:.0f} %", 100 * *ratio) : "–"; }

std::string who_text(const PoolState& state) {
  const auto present =
      static_cast<std::size_t>(std::ranges::count_if(state.jobs, [](const PoolJob& job) { return !is_gone(job); }));
  return fmt::format("{} worker{} among {}", state.workers, state.workers == 1 ? "" : "s", jobs_text(present));
}

std::string runs_text(const PoolState& state, const ReportOptions& options) {
  if (state.runs.empty()) return "";
  std::vector<std::vector<std::string>> rows{{"job", "started", "took", "exit code", "log"}};
  for (const PoolRun& run : state.runs) {
    const auto took = run.started_s && run.ended_s ? std::optional(*run.ended_s - *run.started_s) : std::nullopt;
    rows.push_back({printable(run.name, options.unicode), run.started_s ? format_duration(*run.started_s) : "–",
                    took ? format_duration(*took) : "–", run.exit_code ? std::to_string(*run.exit_code) : "–",
                    printable(run.log, options.unicode)});
  }
  std::string text = "\n" + render_columns(rows, std::array<std::size_t, 2>{0, 4});
  if (state.makespan_s) text += fmt::format("all jobs took {}\n", format_duration(*state.makespan_s));
  return text;
}

}  // namespace

std::string pool_rate_text(std::optional<double> per_s) {
  if (!per_s) return "–";
  if (*per_s < 100) return fmt::format("{:.{}f}", *per_s, *per_s < 10 ? 2 : 1);
  return format_count(std::llround(*per_s));
}

std::string pool_verdict(const PoolState& state) {
  if (state.gain && state.gain->low_ratio) {
    return fmt::format(
        "sharing by need brings {:+.1f} % throughput over an even split ({:+.1f} to {:+.1f} %), measured in {} pairs "
        "of "
        "windows",
        100 * state.gain->ratio, 100 * *state.gain->low_ratio, 100 * *state.gain->high_ratio, state.gain->pairs);
  }
  if (state.policy == PoolPolicy::even) return fmt::format("{}, evenly", who_text(state));
  if (!state.predicted_gain_ratio) return fmt::format("{}, by need", who_text(state));
  return fmt::format("{} by need: {:+.1f} % throughput over an even split, predicted", who_text(state),
                     100 * *state.predicted_gain_ratio);
}

std::string render_pool_text(const PoolState& state, const ReportOptions& options) {
  std::string text = pool_verdict(state) + "\n\n";
  std::vector<std::vector<std::string>> rows{
      {"job", "state", "workers", "even split", "samples per second", "ceiling", "waiting"}};
  for (const PoolJob& job : state.jobs) {
    rows.push_back({printable(job.name, options.unicode), std::string(to_string(job.state)),
                    is_gone(job) ? "–" : std::to_string(job.workers),
                    is_gone(job) ? "–" : std::to_string(job.even_workers), pool_rate_text(job.per_s),
                    pool_rate_text(job.ceiling_per_s), percent_text(job.waiting_ratio)});
  }
  text += state.jobs.empty() ? "no job has joined yet\n" : render_columns(rows, std::array<std::size_t, 2>{0, 1});
  const std::size_t shown = std::min(state.moments.size(), kShownMoments);
  if (shown > 0) text += "\nlast decisions, in seconds since the pool's start:\n";
  for (std::size_t i = state.moments.size() - shown; i < state.moments.size(); ++i) {
    const PoolMoment& moment = state.moments[i];
    std::string workers;
    for (const auto& [name, count] : moment.workers) {
      workers += fmt::format("{}{} {}", workers.empty() ? "" : ", ", printable(name, options.unicode), count);
    }
    text += fmt::format("  {:>7.1f}  {}: {}\n", moment.at_s, printable(moment.why, options.unicode), workers);
  }
  text += runs_text(state, options);
  if (state.other_load_cores && *state.other_load_cores >= 0.5) {
    text += fmt::format("\nother processes use {:.1f} cores\n", *state.other_load_cores);
  }
  for (const std::string& note : state.notes) text += fmt::format("note: {}\n", printable(note, options.unicode));
  for (const PoolJob& job : state.jobs) {
    if (job.note)
      text +=
          fmt::format("note: {}: {}\n", printable(job.name, options.unicode), printable(*job.note, options.unicode));
  }
  return options.unicode ? text : to_ascii(text);
}

std::string render_pool_json(const PoolState& state) {
  const nlohmann::ordered_json own = nlohmann::ordered_json::parse(to_line(state));
  nlohmann::ordered_json json{{"schema_version", kPoolSchemaVersion}, {"tool", tool_json()}};
  json.update(own);
  return json.dump(2, ' ', true, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace stash
