#include "stash/report/sharing_plan_report.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "stash/core/units.h"
#include "stash/report/columns.h"
#include "stash/report/printable.h"

namespace stash {
namespace {

std::string number(double per_s) {
  if (per_s < 100) return fmt::format("{:.{}f}", per_s, per_s < 10 ? 2 : 1);
  return format_count(std::llround(per_s));
}

std::string_view goal(Objective objective) {
  switch (objective) {
    case Objective::throughput:
      return "the highest total throughput";
    case Objective::fairness:
      return "the worst-fed job as near to its ceiling as can be";
    case Objective::makespan:
      return "the last job to end as early as can be";
  }
  return "";
}

}  // namespace

std::string rate_text(const Rate& rate) {
  return fmt::format("{} ({} to {})", number(rate.per_s), number(rate.low_per_s), number(rate.high_per_s));
}

std::string sharing_verdict(const SharingPlan& plan) {
  const std::string who =
      fmt::format("{} core{} among {} job{}", plan.resources.cores, plan.resources.cores == 1 ? "" : "s",
                  plan.jobs.size(), plan.jobs.size() == 1 ? "" : "s");
  if (std::abs(plan.gain_ratio) < 0.0005) {
    return fmt::format("sharing {} by need brings nothing over an even split", who);
  }
  return fmt::format(
      "sharing {} by need: throughput {:+.1f} % over an even split ({:+.1f} to {:+.1f} %), mean over jobs", who,
      plan.gain_ratio * 100, plan.gain_low_ratio * 100, plan.gain_high_ratio * 100);
}

std::string render_sharing_text(const SharingPlan& plan, const ReportOptions& options) {
  std::vector<std::vector<std::string>> rows{
      {"job", "workers", "even split", "samples per second", "even split", "ceiling", "of it"}};
  for (const PlannedJob& job : plan.jobs) {
    rows.push_back({printable(job.name, options.unicode), std::to_string(job.workers), std::to_string(job.even_workers),
                    rate_text(job.throughput), number(job.even_throughput.per_s), number(job.ceiling.per_s),
                    fmt::format("{:.0f} %", 100 * job.throughput.per_s / job.ceiling.per_s)});
  }
  std::string text = sharing_verdict(plan) + "\n\n" + render_columns(rows, std::array<std::size_t, 1>{0}) + "\n";
  text += fmt::format("sought: {}; {} core{} left idle\n", goal(plan.objective), plan.idle_cores,
                      plan.idle_cores == 1 ? "" : "s");
  for (const std::string& assumption : plan.assumptions) {
    text += fmt::format("assumed: {}\n", printable(assumption, options.unicode));
  }
  return options.unicode ? text : to_ascii(text);
}

}  // namespace stash
