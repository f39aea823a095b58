#include "stash/report/table.h"

#include <fmt/format.h>

#include "stash/attribute/coverage.h"
#include "stash/report/printable.h"
#include "stash/report/verdict.h"

namespace stash {

namespace {

std::string row(std::string_view part, std::string_view ms, std::string_view share, std::string_view remark,
                std::string_view dollars = "") {
  std::string line = fmt::format("  {:<13}{:>11}{:>11}   {:<20}{:>9}", part, ms, share, remark, dollars);
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

std::string interval_text(const Estimate& estimate, const Ledger& ledger) {
  return fmt::format("{} to {}", milliseconds(estimate.low_s, ledger), milliseconds(estimate.high_s, ledger));
}

// A time that may be 0 has no price.
std::string present_line(std::string_view name, const Estimate& estimate, const Report& report) {
  const Ledger& ledger = report.ledger;
  const std::string ms = milliseconds(estimate.s, ledger);
  if (!(ledger.step.s > 0)) return row(name, ms, "–", interval_text(estimate, ledger));
  const double ratio = estimate.s / ledger.step.s;
  const std::string share = fmt::format("{:.1f}", ratio * 100);
  if (!differs_from_zero(estimate)) {
    return row(name, ms, share,
               fmt::format("not distinguishable from 0 (±{} ms)", milliseconds(half_width_s(estimate), ledger)));
  }
  return row(name, ms, share, interval_text(estimate, ledger),
             report.usd_per_hour ? fmt::format("{:.2f}", ratio * *report.usd_per_hour) : "");
}

}  // namespace

std::string milliseconds(double s, const Ledger& ledger) {
  const double step_ms = ledger.step.s * 1e3;
  return fmt::format("{:.{}f}", s * 1e3, step_ms >= 1000 ? 0 : step_ms >= 100 ? 1 : step_ms >= 10 ? 2 : 3);
}

std::string render_table(const Report& report, const ReportOptions& options) {
  const Ledger& ledger = report.ledger;
  std::string table = row("part", "ms per step", "% of step", "95 % interval, ms", report.usd_per_hour ? "$/h" : "");
  for (const Part part : kParts) {
    table += ledger[part]
                 ? present_line(to_string(part), *ledger[part], report)
                 : row(to_string(part), "–", "–", printable(why_absent(part, report.profile), options.unicode));
  }
  return table + present_line("step", ledger.step, report);
}

}  // namespace stash
