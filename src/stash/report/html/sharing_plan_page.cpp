#include "stash/report/html/sharing_plan_page.h"

#include <fmt/format.h>

#include "stash/report/html/charts.h"
#include "stash/report/html/html_table.h"
#include "stash/report/html/markup.h"
#include "stash/report/html/page_frame.h"
#include "stash/report/sharing_plan_report.h"

namespace stash {
namespace {

std::string share_of_ceiling_chart(const SharingPlan& plan) {
  std::vector<BarRow> rows;
  for (const PlannedJob& job : plan.jobs) {
    const auto add = [&](const std::string& label, const Rate& rate, const char* classes) {
      const double ceiling = job.ceiling.per_s;
      rows.push_back({.label = label,
                      .figures = fmt::format("{:.0f} %", 100 * rate.per_s / ceiling),
                      .segments = {{rate.per_s / ceiling, classes, rate_text(rate) + " samples per second"}},
                      .interval = Whisker{rate.low_per_s / ceiling, rate.high_per_s / ceiling}});
    };
    add(fmt::format("{}: {} workers", job.name, job.workers), job.throughput, "series-1");
    add(fmt::format("even split: {}", job.even_workers), job.even_throughput, "series-2");
  }
  const auto percent = [](double ratio) { return fmt::format("{:.0f} %", ratio * 100); };
  return figure(legend(std::vector<LegendEntry>{{"series-1", "by need"}, {"series-2", "even split"}}) +
                    bar_chart("Throughput as a share of the ceiling", rows, percent),
                "Throughput of each job as a share of what it reaches when its input is always ready.");
}

std::string jobs_table(const SharingPlan& plan) {
  HtmlTable table("Jobs; samples per second with 95 % intervals",
                  {"job", "workers", "even split", "throughput", "from", "to", "even split", "ceiling"});
  for (const PlannedJob& job : plan.jobs) {
    table.add({job.name, number_cell(job.workers, 0), number_cell(job.even_workers, 0),
               number_cell(job.throughput.per_s, 1), number_cell(job.throughput.low_per_s, 1),
               number_cell(job.throughput.high_per_s, 1), number_cell(job.even_throughput.per_s, 1),
               number_cell(job.ceiling.per_s, 1)});
  }
  return table.str();
}

}  // namespace

std::string render_sharing_html(const SharingPlan& plan) {
  const PageHead head{.title = "stash: sharing plan",
                      .verdict = sharing_verdict(plan),
                      .lines = {fmt::format("{} cores left idle", plan.idle_cores)},
                      .alerts = {}};
  return html_page(head, {{"jobs", "Jobs", share_of_ceiling_chart(plan) + jobs_table(plan)},
                          {"assumed", "Assumed", plan.assumptions.empty() ? "" : list(plan.assumptions)}});
}

}  // namespace stash
