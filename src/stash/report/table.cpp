#include "stash/report/table.h"

#include <fmt/format.h>

#include "stash/attribute/coverage.h"
#include "stash/report/printable.h"
#include "stash/report/verdict.h"

namespace stash {

namespace {

std::string row(std::string_view part, std::string_view ms, std::string_view share, std::string_view interval,
                std::string_view dollars, std::string_view note, bool priced) {
  std::string line = fmt::format("  {:<13}{:>10}{:>11}   {:<20}", part, ms, share, interval);
  if (priced) line += fmt::format("{:>9}", dollars);
  line += fmt::format("   {}", note);
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

std::string note_of(const Estimate& estimate, const Ledger& ledger) {
  if (differs_from_zero(estimate)) return "";
  return fmt::format("not distinguishable from 0 (±{} ms)", milliseconds(half_width_s(estimate), ledger));
}

std::string present_row(std::string_view name, const Estimate& estimate, const Ledger& ledger,
                        const ReportOptions& options) {
  const bool has_share = ledger.step.s > 0;
  const double ratio = has_share ? estimate.s / ledger.step.s : 0;
  return row(name, milliseconds(estimate.s, ledger), has_share ? fmt::format("{:.1f}", ratio * 100) : "–",
             fmt::format("{} to {}", milliseconds(estimate.low_s, ledger), milliseconds(estimate.high_s, ledger)),
             has_share && options.usd_per_hour ? fmt::format("{:.2f}", ratio * *options.usd_per_hour) : "–",
             note_of(estimate, ledger), options.usd_per_hour.has_value());
}

}  // namespace

std::string milliseconds(double s, const Ledger& ledger) {
  const double step_ms = ledger.step.s * 1e3;
  return fmt::format("{:.{}f}", s * 1e3, step_ms >= 1000 ? 0 : step_ms >= 100 ? 1 : step_ms >= 10 ? 2 : 3);
}

std::string render_table(const Profile& profile, const Ledger& ledger, const ReportOptions& options) {
  const bool priced = options.usd_per_hour.has_value();
  std::string table = row("part", "ms a step", "% of step", "95 % interval, ms", "$/h", "", priced);
  for (const Part part : kParts) {
    table += ledger[part] ? present_row(to_string(part), *ledger[part], ledger, options)
                          : row(to_string(part), "–", "–", "–", "–",
                                printable(why_absent(part, profile), options.unicode), priced);
  }
  return table + present_row("step", ledger.step, ledger, options);
}

}  // namespace stash
