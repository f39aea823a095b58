#include "stash/report/html/pool_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <span>

#include "stash/core/units.h"
#include "stash/report/html/charts.h"
#include "stash/report/html/html_table.h"
#include "stash/report/html/markup.h"
#include "stash/report/html/page_frame.h"
#include "stash/report/pool_report.h"

namespace stash {
namespace {

constexpr std::size_t kJobColours = 4;
constexpr std::size_t kMostDrawn = 32;  // jobs
constexpr double kShownLoad = 0.5;      // cores

std::string series_of_job(std::size_t job) { return fmt::format("series-{}", job % kJobColours + 1); }

using JobsOfChart = std::span<const PoolJob>;  // at most as many as there are colours

using ValueOf = std::function<double(const PoolPoint&)>;

// Steps, since a point stands for the time before it.
std::string time_line(JobsOfChart jobs, const ChartPlane& plane, const ValueOf& value_of) {
  std::vector<Curve> curves;
  for (std::size_t j = 0; j < jobs.size(); ++j) {
    Curve curve{.classes = series_of_job(j), .points = {}};
    for (const PoolPoint& point : jobs[j].points) {
      curve.points.emplace_back(point.at_s - point.lasted_s, value_of(point));
      curve.points.emplace_back(point.at_s, value_of(point));
    }
    if (!curve.points.empty()) curves.push_back(std::move(curve));
  }
  return curves.empty() ? "" : scatter_chart(plane, {}, curves);
}

std::string charts_of(JobsOfChart jobs) {
  std::vector<LegendEntry> names;
  for (std::size_t j = 0; j < jobs.size(); ++j) names.push_back({series_of_job(j), jobs[j].name});
  const auto plane = [](std::string title, TickText tick) {
    return ChartPlane{.label = title,
                      .x_title = "time since the pool's start",
                      .y_title = title,
                      .x_tick = [](double s) { return format_duration(s); },
                      .y_tick = std::move(tick),
                      .y_from_zero = true};
  };
  const auto number = [](double value) { return fmt::format("{:g}", value); };
  const auto percent = [](double ratio) { return fmt::format("{:.0f} %", 100 * ratio); };
  return figure(
      legend(names) + time_line(jobs, plane("workers", number), [](const PoolPoint& p) { return p.workers; }) +
          time_line(jobs, plane("samples per second", number), [](const PoolPoint& p) { return p.per_s; }) +
          time_line(jobs, plane("time waiting for input", percent), [](const PoolPoint& p) { return p.waiting_ratio; }),
      "Workers, throughput and stall of each job.");
}

// As many jobs beside each other as there are colours.
std::string charts(const PoolState& state) {
  const JobsOfChart jobs(state.jobs);
  std::string html;
  for (std::size_t from = 0; from < std::min(jobs.size(), kMostDrawn); from += kJobColours) {
    html += charts_of(jobs.subspan(from, std::min(kJobColours, jobs.size() - from)));
  }
  if (jobs.size() > kMostDrawn) html += fmt::format("<p>{} more jobs are not drawn.</p>", jobs.size() - kMostDrawn);
  return html;
}

std::string runs_table(const PoolState& state) {
  HtmlTable table("Runs", {"job", "started", "took", "exit code", "log"});
  for (const PoolRun& run : state.runs) {
    const auto took = run.started_s && run.ended_s ? std::optional(*run.ended_s - *run.started_s) : std::nullopt;
    const auto time = [](std::optional<double> s) { return s ? Cell(format_duration(*s), s) : Cell("–"); };
    table.add({run.name, time(run.started_s), time(took),
               run.exit_code ? Cell(std::to_string(*run.exit_code), *run.exit_code) : Cell("–"), run.log});
  }
  return table.str();
}

std::string pool_jobs_table(const PoolState& state) {
  HtmlTable table("Jobs", {"job", "state", "workers", "even split", "samples per second", "ceiling", "waiting"});
  for (const PoolJob& job : state.jobs) {
    table.add(
        {job.name, std::string(to_string(job.state)), number_cell(job.workers, 0), number_cell(job.even_workers, 0),
         number_cell(job.per_s, 1), number_cell(job.ceiling_per_s, 1),
         job.waiting_ratio ? Cell(fmt::format("{:.0f} %", 100 * *job.waiting_ratio), job.waiting_ratio) : Cell("–")});
  }
  return table.str();
}

std::string decisions_table(const PoolState& state) {
  HtmlTable table("Decisions", {"why", "at", "workers"});
  for (const PoolMoment& moment : state.moments) {
    std::string workers;
    for (const auto& [name, count] : moment.workers) {
      workers += fmt::format("{}{} {}", workers.empty() ? "" : ", ", name, count);
    }
    table.add({moment.why, Cell(format_duration(moment.at_s), moment.at_s), workers});
  }
  return table.str();
}

}  // namespace

std::string render_pool_html(const PoolState& state) {
  std::vector<std::string> lines{fmt::format("{} of {} workers given out", state.given_workers, state.workers)};
  if (state.makespan_s) lines.push_back(fmt::format("all jobs took {}", format_duration(*state.makespan_s)));
  if (state.other_load_cores && *state.other_load_cores >= kShownLoad) {
    lines.push_back(fmt::format("other processes use {:.1f} cores", *state.other_load_cores));
  }
  std::vector<std::string> alerts = state.notes;
  for (const PoolJob& job : state.jobs) {
    if (job.note) alerts.push_back(fmt::format("{}: {}", job.name, *job.note));
  }
  const PageHead head{
      .title = "stash: shared workers", .verdict = pool_verdict(state), .lines = lines, .alerts = alerts};
  return html_page(head, {{"time", "Over time", charts(state)},
                          {"jobs", "Jobs", pool_jobs_table(state)},
                          {"runs", "Runs", state.runs.empty() ? "" : runs_table(state)},
                          {"decisions", "Decisions", state.moments.empty() ? "" : decisions_table(state)}});
}

}  // namespace stash
