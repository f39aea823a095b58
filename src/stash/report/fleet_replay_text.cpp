#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "stash/core/units.h"
#include "stash/report/columns.h"
#include "stash/report/fleet_replay_report.h"
#include "stash/report/printable.h"

namespace stash {
namespace {

constexpr std::size_t kShownDecisions = 5;

std::string with_interval(const SeedMean& value, std::string (*text)(double)) {
  if (!value.low) return text(value.mean);
  return fmt::format("{} ({} to {})", text(value.mean), text(std::max(0.0, *value.low)), text(*value.high));
}

double hours_of(const ReplayResult& run) {
  double hours = 0;
  for (const TypeUse& use : run.types) hours += use.machine_hours;
  return hours;
}

std::vector<std::string> policy_row(const PolicyReplay& policy, double usd_of_best) {
  const auto over = [&](auto value) { return policy.over_seeds(value); };
  const auto mean_text = [](const SeedMean& s) { return format_duration(s.mean); };
  return {
      printable(policy.name),
      with_interval(over([](const ReplayResult& run) { return run.totals.usd; }), fleet_usd_text),
      usd_of_best > 0 ? fmt::format("{:.2f}", policy.usd() / usd_of_best) : "–",
      with_interval(over([](const ReplayResult& run) { return run.totals.missed_ratio(); }), fleet_percent_text),
      fleet_percent_text(over([](const ReplayResult& run) { return run.totals.refused_ratio(); }).mean),
      mean_text(over([](const ReplayResult& run) { return run.totals.p50_s; })),
      mean_text(over([](const ReplayResult& run) { return run.totals.p99_s; })),
      fmt::format("{:.1f}", over(hours_of).mean),
      fmt::format("{:.0f}", over([](const ReplayResult& run) { return static_cast<double>(run.totals.starts); }).mean),
      fleet_usd_text(over([](const ReplayResult& run) { return run.totals.functions_usd; }).mean)};
}

std::string machines_text(const PolicyReplay& policy) {
  std::string text;
  for (const TypeUse& use : policy.runs.front().types) {
    if (use.machine_hours <= 0) continue;
    text += fmt::format("{}{} {:.1f} h {}", text.empty() ? "" : ", ", printable(use.type), use.machine_hours,
                        fleet_usd_text(use.usd));
    if (use.spot_hours > 0) text += fmt::format(" (spot {:.1f} h {})", use.spot_hours, fleet_usd_text(use.spot_usd));
  }
  const ReplayTotals& totals = policy.runs.front().totals;
  if (totals.by_functions > 0) {
    text += fmt::format("{}functions {} calls, {} of them cold", text.empty() ? "" : ", ",
                        format_count(static_cast<std::int64_t>(totals.by_functions)),
                        format_count(static_cast<std::int64_t>(totals.cold_calls)));
  }
  if (totals.killed > 0) {
    text += fmt::format("; {} killed, {} requests lost", totals.killed,
                        format_count(static_cast<std::int64_t>(totals.lost)));
  }
  if (totals.taken_away > 0) text += fmt::format("; {} spot machines taken away", totals.taken_away);
  if (policy.price_ratio != 1) text += fmt::format("; prices times {:g}, as a managed service has", policy.price_ratio);
  return text.empty() ? "none" : text;
}

std::string decisions_text(const ReplayComparison& comparison, const PolicyReplay& policy) {
  const ReplayResult& run = policy.runs.front();
  std::string text = fmt::format("\nwhy {} changed its fleet ({} decisions, {}{} changes):\n", printable(policy.name),
                                 format_count(static_cast<std::int64_t>(run.decisions_made)),
                                 format_count(static_cast<std::int64_t>(run.decisions.size())),
                                 run.decisions.size() >= kMostReplayDecisions ? " or more" : "");
  for (std::size_t i = 0; i < std::min(kShownDecisions, run.decisions.size()); ++i) {
    const ReplayDecision& one = run.decisions[i];
    text += fmt::format("  {}  {}: {}\n", fleet_moment_text(comparison, one.at_s), printable(one.wanted),
                        printable(one.reason));
  }
  if (run.decisions.size() > kShownDecisions) text += "  … (all of them: --format json)\n";
  return text;
}

}  // namespace

std::string fleet_replay_text(const ReplayComparison& comparison, const ReportOptions& options) {
  std::string text = fleet_replay_verdict(comparison) + "\n" + fleet_replay_setting(comparison) + "\n\n";
  const PolicyReplay* best = comparison.find("stash");
  if (best == nullptr) best = comparison.cheapest_that_meets();
  std::vector<std::vector<std::string>> rows{
      {"policy", "cost", "ratio", "missed", "refused", "p50", "p99", "machine hours", "starts", "functions"}};
  for (const PolicyReplay& one : comparison.policies) {
    if (best == nullptr && !one.runs.empty()) best = &one;
    if (!one.runs.empty()) rows.push_back(policy_row(one, best->usd()));
  }
  text += render_columns(rows, std::array<std::size_t, 1>{0}) + "\nmachines:\n";
  for (const PolicyReplay& one : comparison.policies) {
    text +=
        fmt::format("  {}: {}\n", printable(one.name), one.runs.empty() ? printable(one.why_not) : machines_text(one));
  }
  if (best != nullptr) text += decisions_text(comparison, *best);
  if (best != nullptr) {
    text += fmt::format(
        "\nratio is the cost over that of {}. Missed: late, refused or lost with a machine; {} are allowed.\n",
        printable(best->name), fleet_percent_text(1 - comparison.objective.meet_ratio));
  }
  for (const std::string& warning : comparison.warnings) text += fmt::format("note: {}\n", printable(warning));
  return options.unicode ? text : to_ascii(text);
}

}  // namespace stash
