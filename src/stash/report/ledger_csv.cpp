#include <fmt/format.h>

#include "stash/report/group_times.h"
#include "stash/report/report.h"

namespace stash {

namespace {

std::string row(std::string_view name, const std::optional<Estimate>& estimate, const Report& report) {
  if (!estimate) return fmt::format("{},,,,,\n", name);
  const bool has_share = report.ledger.step.s > 0;
  const double ratio = has_share ? estimate->s / report.ledger.step.s : 0;
  return fmt::format("{},{},{},{},{},{}\n", name, estimate->s, estimate->low_s, estimate->high_s,
                     has_share ? fmt::format("{}", ratio) : "",
                     has_share && report.usd_per_hour ? fmt::format("{}", ratio * *report.usd_per_hour) : "");
}

}  // namespace

std::string render_csv(const Report& report) {
  std::string csv = "part,s,low_s,high_s,ratio,usd_per_hour\n";
  for (const Part part : kParts) csv += row(to_string(part), report.ledger[part], report);
  return csv + row("step", report.ledger.step, report) + communication_csv(report);
}

}  // namespace stash
