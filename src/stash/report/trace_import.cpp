#include "stash/report/trace_import.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "stash/core/units.h"
#include "stash/report/columns.h"
#include "stash/report/printable.h"
#include "stash/report/trace_import_json.h"

namespace stash {
namespace {

constexpr double kWorthNaming_ratio = 0.05;  // as in the verdict of a profile
constexpr std::string_view kCannotTell =
    "a trace cannot tell: contention; interconnect and network apart (both are communication); prep and fetch apart\n"
    "(both are input); how much of a collective is waiting for a late peer\n";

std::string percent(double part_s, double step_s) { return fmt::format("{:.0f} %", 100 * part_s / step_s); }

// Parts that cost something, the dearest first.
std::vector<TracePart> by_cost(const TraceParts& parts) {
  std::vector<TracePart> order;
  for (const TracePart part : kTraceParts) {
    if (part != TracePart::compute && at(parts, part)) order.push_back(part);
  }
  std::ranges::stable_sort(order, std::greater<>(), [&](TracePart part) { return *at(parts, part); });
  return order;
}

std::string say(TracePart part) {
  if (part == TracePart::communication) return "exposed communication";
  return part == TracePart::unexplained ? "unexplained time" : std::string(to_string(part));
}

std::string verdict(const TraceReport& report) {
  const std::vector<TracePart> parts = by_cost(report.parts);
  const double compute_s = at(report.parts, TracePart::compute).value_or(0);
  const double most_s = parts.empty() ? 0 : *at(report.parts, parts.front());
  if (most_s < kWorthNaming_ratio * report.step_s) {
    return fmt::format("compute takes {} of every step ({} of {}); no stall takes 5 %",
                       percent(compute_s, report.step_s), format_duration(compute_s), format_duration(report.step_s));
  }
  std::string text =
      fmt::format("{} costs {} of every step ({} of {})", say(parts.front()), percent(most_s, report.step_s),
                  format_duration(most_s), format_duration(report.step_s));
  std::string others;
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const double s = *at(report.parts, parts[i]);
    if (s >= kWorthNaming_ratio * report.step_s)
      others += fmt::format("{} {}, ", say(parts[i]), percent(s, report.step_s));
  }
  return fmt::format("{}; {}compute {}", text, others, percent(compute_s, report.step_s));
}

std::string milliseconds(const std::optional<double>& s) { return s ? fmt::format("{:.3f}", *s * 1e3) : "–"; }

std::vector<std::string> row(std::string name, std::string steps, double step_s, const TraceParts& parts) {
  std::vector<std::string> cells{std::move(name), std::move(steps), milliseconds(step_s)};
  for (const TracePart part : kTraceParts) cells.push_back(milliseconds(at(parts, part)));
  return cells;
}

std::string name_of(const TraceRank& rank, bool several_devices) {
  return several_devices && rank.device ? fmt::format("{} (GPU {})", rank.rank, *rank.device)
                                        : fmt::format("{}", rank.rank);
}

std::string table(const TraceReport& report) {
  std::vector<std::vector<std::string>> rows{{"rank", "steps", "ms per step"}};
  for (const TracePart part : kTraceParts) rows.front().emplace_back(to_string(part));
  std::size_t ranks = 0;
  for (const ImportedTrace& trace : report.traces) {
    for (const TraceRank& rank : trace.ranks) {
      rows.push_back(
          row(name_of(rank, trace.ranks.size() > 1), fmt::format("{}", rank.steps.size()), rank.step_s, rank.parts));
      ++ranks;
    }
  }
  if (ranks > 1) rows.push_back(row("mean", "", report.step_s, report.parts));
  static constexpr std::array<std::size_t, 1> kWords{0};
  return render_columns(rows, kWords);
}

std::size_t ranks_in(const TraceReport& report) {
  std::set<std::int64_t> ranks;
  for (const ImportedTrace& trace : report.traces) ranks.insert(trace.ranks.front().rank);
  return ranks.size();
}

double ratio_or_0(double part, double whole) { return whole > 0 ? part / whole : 0; }

std::string coverage(const TraceReport& report) {
  std::string text = fmt::format("coverage: {:.1f} % of a step is explained", 100 * report.explained_ratio);
  if (report.world_size.value_or(1) > 1)
    text += fmt::format("; traces of {} of {} ranks", ranks_in(report), *report.world_size);
  if (report.kernels == 0) return text + "; no GPU kernels\n";
  return text + fmt::format("; {:.1f} % of {} kernels are recognised, {:.1f} % of their time\n",
                            100 * ratio_or_0(static_cast<double>(report.recognised_kernels),
                                             static_cast<double>(report.kernels)),
                            format_count(static_cast<std::int64_t>(report.kernels)),
                            100 * ratio_or_0(report.recognised_kernel_s, report.kernel_s));
}

std::string communication(const TraceReport& report) {
  if (report.communication_s <= 0) return "";
  const double exposed_s = at(report.parts, TracePart::communication).value_or(0);
  return fmt::format("communication runs for {} per step; {} of that is hidden behind compute\n",
                     format_duration(report.communication_s),
                     percent(report.communication_s - exposed_s, report.communication_s));
}

std::string late(const TraceReport& report) {
  if (!report.late_rank) return "";
  return fmt::format("late rank: {} works {} longer per step than the others before it communicates\n",
                     report.late_rank->rank, format_duration(report.late_rank->s));
}

std::string render_text(const TraceReport& report, const ReportOptions& options) {
  std::string text = verdict(report) + "\n\n" + table(report) + "\n" + coverage(report) + communication(report) +
                     late(report) + std::string(kCannotTell);
  for (const std::string& warning : report.warnings) {
    text += "warning: " + printable(warning, options.unicode, 1000) + "\n";
  }
  return options.unicode ? text : to_ascii(text);
}

// A trace's times are whole nanoseconds.
std::string render_csv(const TraceReport& report) {
  std::string text = "rank,device,step,s";
  for (const TracePart part : kTraceParts) text += fmt::format(",{}_s", to_string(part));
  text += "\n";
  for (const ImportedTrace& trace : report.traces) {
    for (const TraceRank& rank : trace.ranks) {
      for (std::size_t i = 0; i < rank.steps.size(); ++i) {
        text += fmt::format("{},{},{},{:.9f}", rank.rank, rank.device ? fmt::format("{}", *rank.device) : "", i,
                            rank.steps[i].s);
        for (const auto& s : rank.steps[i].parts) text += s ? fmt::format(",{:.9f}", *s) : ",";
        text += "\n";
      }
    }
  }
  return text;
}

}  // namespace

std::string render_import(const TraceReport& report, Format format, const ReportOptions& options) {
  if (format == Format::csv) return render_csv(report);
  return format == Format::json ? import_json(report, verdict(report)) : render_text(report, options);
}

}  // namespace stash
