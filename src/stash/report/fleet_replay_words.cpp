#include <fmt/format.h>

#include <cmath>

#include "stash/core/price.h"
#include "stash/core/units.h"
#include "stash/report/fleet_replay_report.h"
#include "stash/report/printable.h"

namespace stash {
namespace {

std::string days_text(double s) { return s >= 86400 ? fmt::format("{:.1f} days", s / 86400) : format_duration(s); }

std::string comparison_part(const PolicyReplay& best, const PolicyReplay& other) {
  const double ratio = other.usd() / best.usd();
  if (other.name == "oracle") return fmt::format("{:.2f} times the oracle", best.usd() / other.usd());
  if (ratio >= 1) return fmt::format("{:.2f} times cheaper than {}", ratio, printable(other.name));
  return fmt::format("{:.2f} times the cost of {}", 1 / ratio, printable(other.name));
}

}  // namespace

std::string fleet_usd_text(double usd) {
  if (usd == 0) return "$0";
  return usd >= 1000 ? "$" + format_count(std::llround(usd)) : format_price(usd);
}

std::string fleet_percent_text(double ratio) {
  const double percent = 100 * ratio;
  return fmt::format("{:.{}f} %", percent, percent < 1 && percent > 0 ? 3 : 1);
}

std::string fleet_moment_text(const ReplayComparison& comparison, double s) {
  const auto whole = std::llround(std::max(0.0, std::fmod(comparison.trace_begin_s, 86400) + s));
  return fmt::format("day {}, {:02}:{:02}", whole / 86400 + 1, whole / 3600 % 24, whole / 60 % 60);
}

std::string fleet_replay_setting(const ReplayComparison& comparison) {
  std::uint64_t requests = 0;
  for (const PolicyReplay& one : comparison.policies) {
    if (!one.runs.empty()) requests = one.runs.front().totals.requests;
  }
  return fmt::format("{} on {}, {} within {}; {} of {}, {} requests", printable(comparison.model),
                     printable(comparison.market), fleet_percent_text(comparison.objective.meet_ratio),
                     format_duration(comparison.objective.latency_s), days_text(comparison.recorded_s),
                     printable(comparison.trace), format_count(static_cast<std::int64_t>(requests)));
}

std::string fleet_replay_verdict(const ReplayComparison& comparison) {
  const PolicyReplay* best = comparison.find("stash");
  if (best == nullptr) best = comparison.cheapest_that_meets();
  const std::string objective = fmt::format("{} within {}", fleet_percent_text(comparison.objective.meet_ratio),
                                            format_duration(comparison.objective.latency_s));
  if (best == nullptr) return fmt::format("no policy answers {}", objective);
  std::string text = fmt::format("{} costs {} for {} and misses {}", printable(best->name), fleet_usd_text(best->usd()),
                                 days_text(comparison.recorded_s), fleet_percent_text(best->missed_ratio()));
  if (!comparison.meets(*best)) {
    return text + fmt::format(", more than the {} that the objective allows",
                              fleet_percent_text(1 - comparison.objective.meet_ratio));
  }
  std::string others, missing;
  for (const PolicyReplay& one : comparison.policies) {
    if (one.runs.empty() || &one == best || one.usd() <= 0 || best->usd() <= 0) continue;
    if (!comparison.meets(one)) {
      missing += fmt::format("{}{}", missing.empty() ? "" : ", ", printable(one.name));
      continue;
    }
    others += fmt::format("{}{}", others.empty() ? ": " : ", ", comparison_part(*best, one));
  }
  text += others;
  if (!missing.empty())
    text += fmt::format("; {} miss{} more than allowed", missing, missing.find(',') == std::string::npos ? "es" : "");
  return text;
}

}  // namespace stash
