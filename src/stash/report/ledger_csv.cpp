#include <fmt/format.h>

#include "stash/report/report.h"

namespace stash {

namespace {

std::string row(std::string_view name, const std::optional<Estimate>& estimate, const Ledger& ledger,
                const ReportOptions& options) {
  if (!estimate) return fmt::format("{},,,,,\n", name);
  const bool has_share = ledger.step.s > 0;
  const double ratio = has_share ? estimate->s / ledger.step.s : 0;
  return fmt::format("{},{},{},{},{},{}\n", name, estimate->s, estimate->low_s, estimate->high_s,
                     has_share ? fmt::format("{}", ratio) : "",
                     has_share && options.usd_per_hour ? fmt::format("{}", ratio * *options.usd_per_hour) : "");
}

}  // namespace

std::string render_csv(const Profile&, const Ledger& ledger, const ReportOptions& options) {
  std::string csv = "part,s,low_s,high_s,ratio,usd_per_h\n";
  for (const Part part : kParts) csv += row(to_string(part), ledger[part], ledger, options);
  return csv + row("step", ledger.step, ledger, options);
}

}  // namespace stash
