#include "stash/share/pool/job_series.h"

#include <fmt/format.h>

#include <algorithm>

#include "stash/core/error.h"
#include "stash/core/units.h"

namespace stash {

JobSeries::JobSeries(std::vector<SeriesJob> jobs, int most_at_a_time, Tell tell)
    : most_(most_at_a_time), tell_(std::move(tell)) {
  std::ranges::stable_sort(jobs, {}, &SeriesJob::arrives_s);
  for (SeriesJob& job : jobs) {
    PoolRun run{.name = job.name, .log = job.command.log.string()};
    entries_.push_back({std::move(job), std::move(run), std::nullopt});
  }
}

void JobSeries::start(Entry& entry, double now_s) {
  entry.run.started_s = now_s;
  try {
    entry.process.emplace(entry.job.command);
    tell_(fmt::format("{} started", entry.job.name));
  } catch (const Error& error) {
    entry.run.ended_s = now_s;
    entry.run.exit_code = 1;
    tell_(fmt::format("{}: {}", entry.job.name, error.what()));
  }
}

void JobSeries::tick(double now_s) {
  int running = 0;
  for (Entry& entry : entries_) {
    if (!entry.process || entry.run.ended_s) continue;
    entry.run.exit_code = entry.process->exit_code();
    if (!entry.run.exit_code) {
      ++running;
      continue;
    }
    entry.run.ended_s = now_s;
    const std::string took = format_duration(now_s - *entry.run.started_s);
    tell_(*entry.run.exit_code == 0 ? fmt::format("{} ended after {}", entry.job.name, took)
                                    : fmt::format("{} failed with exit code {} after {}: see {}", entry.job.name,
                                                  *entry.run.exit_code, took, entry.run.log));
  }
  for (Entry& entry : entries_) {
    if (closed_ || running >= most_ || entry.job.arrives_s > now_s) return;
    if (entry.run.started_s) continue;
    start(entry, now_s);
    if (entry.process) ++running;
  }
}

bool JobSeries::is_over() const {
  return std::ranges::all_of(
      entries_, [&](const Entry& entry) { return entry.run.ended_s || (closed_ && !entry.run.started_s); });
}

bool JobSeries::all_succeeded() const {
  return std::ranges::all_of(entries_, [](const Entry& entry) { return entry.run.exit_code == 0; });
}

void JobSeries::signal(int number) const {
  for (const Entry& entry : entries_) {
    if (entry.process && !entry.run.ended_s) entry.process->signal(number);
  }
}

std::vector<PoolRun> JobSeries::runs() const {
  std::vector<PoolRun> runs;
  for (const Entry& entry : entries_) runs.push_back(entry.run);
  return runs;
}

std::optional<double> JobSeries::makespan_s() const {
  std::optional<double> first, last;
  for (const Entry& entry : entries_) {
    if (entry.run.started_s) first = std::min(first.value_or(*entry.run.started_s), *entry.run.started_s);
    if (entry.run.ended_s) last = std::max(last.value_or(*entry.run.ended_s), *entry.run.ended_s);
  }
  return first && last ? std::optional(*last - *first) : std::nullopt;
}

}  // namespace stash
