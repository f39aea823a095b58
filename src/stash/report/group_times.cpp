#include "stash/report/group_times.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "stash/core/units.h"
#include "stash/report/markdown_text.h"
#include "stash/report/prediction_csv.h"
#include "stash/report/printable.h"
#include "stash/report/table.h"

namespace stash {
namespace {

constexpr std::size_t kNameWidth = 26;

std::string count_text(double count) {
  return count >= 9.95 || count == static_cast<int>(count) ? fmt::format("{:.0f}", count)
                                                           : fmt::format("{:.1f}", count);
}

std::string group_interval(const Estimate& time, const Ledger& ledger) {
  if (!differs_from_zero(time)) {
    return fmt::format("not distinguishable from 0 (±{})", milliseconds(half_width_s(time), ledger));
  }
  return fmt::format("{} to {}", milliseconds(time.low_s, ledger), milliseconds(time.high_s, ledger));
}

std::string share_text(const Estimate& time, const Ledger& ledger) {
  return ledger.step.s > 0 ? fmt::format("{:.1f}", time.s / ledger.step.s * 100) : "–";
}

}  // namespace

double calls_of(const GroupTime& line) {
  double sum = 0;
  for (const GroupOperation& operation : line.operations) sum += operation.calls;
  return sum;
}

double bytes_of(const GroupTime& line) {
  double sum = 0;
  for (const GroupOperation& operation : line.operations) sum += operation.bytes;
  return sum;
}

std::vector<GroupTime> shown_groups(const Ledger& ledger) {
  std::vector<GroupTime> shown;
  for (const GroupTime& line : ledger.communication) {
    if (shown.size() < kMostGroupLines && (line.exposed || !line.operations.empty())) shown.push_back(line);
  }
  return shown;
}

std::string group_title(const GroupTime& line) {
  if (line.name.empty()) return "only together";
  return line.used_by.empty() ? line.name : fmt::format("{} ({})", line.name, fmt::join(line.used_by, ", "));
}

std::string operations_text(const GroupTime& line) {
  std::vector<std::string> texts;
  for (const GroupOperation& operation : line.operations) {
    const double each = operation.calls > 0 ? operation.bytes / operation.calls : 0;
    texts.push_back(fmt::format("{} {} of {}", count_text(operation.calls), operation.op, format_bytes(each)));
  }
  return fmt::format("{}", fmt::join(texts, ", "));
}

std::string group_remark(const GroupTime& line, const Ledger& ledger) {
  if (line.name.empty()) return "what shows only when several groups are off at once";
  std::string remark = line.between_nodes ? "between nodes" : "inside a node";
  if (line.inside && line.between) {
    remark = fmt::format("inside nodes {} ms, between them {} ms", milliseconds(line.inside->s, ledger),
                         milliseconds(line.between->s, ledger));
  }
  return line.why_not.empty() ? remark : fmt::format("{}; not switched off alone: {}", remark, line.why_not);
}

std::string communication_text(const Report& report, bool unicode) {
  const Ledger& ledger = report.ledger;
  const std::vector<GroupTime> lines = shown_groups(ledger);
  if (lines.empty()) return "";
  const auto shown = [&](const std::string& text, std::size_t limit = 400) {
    return printable(unicode ? text : to_ascii(text), unicode, limit);
  };
  std::string text = fmt::format("  {:<{}}{:>11}{:>11}   {}\n", "communication by group", kNameWidth, "ms per step",
                                 "% of step", "95 % interval, ms");
  for (const GroupTime& line : lines) {
    text += fmt::format("  {:<{}}{:>11}{:>11}   {}\n", shown(group_title(line), kNameWidth - 1), kNameWidth,
                        line.exposed ? milliseconds(line.exposed->s, ledger) : "–",
                        line.exposed ? share_text(*line.exposed, ledger) : "–",
                        line.exposed ? group_interval(*line.exposed, ledger) : "");
    const std::string operations = operations_text(line);
    text += fmt::format("    {}{}{}\n", shown(group_remark(line, ledger)), operations.empty() ? "" : "; per step ",
                        shown(operations));
  }
  return text + "\n";
}

std::string communication_markdown(const Report& report) {
  const Ledger& ledger = report.ledger;
  std::vector<std::vector<std::string>> rows{
      {"process group", "ms per step", "% of step", "95 % interval, ms", "per step of a rank", "remark"}};
  for (const GroupTime& line : shown_groups(ledger)) {
    rows.push_back({markdown_text(group_title(line)), line.exposed ? milliseconds(line.exposed->s, ledger) : "–",
                    line.exposed ? share_text(*line.exposed, ledger) : "–",
                    line.exposed ? group_interval(*line.exposed, ledger) : "", markdown_text(operations_text(line)),
                    markdown_text(group_remark(line, ledger))});
  }
  return rows.size() == 1 ? "" : markdown_table(rows) + "\n";
}

std::string communication_csv(const Report& report) {
  std::string csv;
  for (const GroupTime& line : report.ledger.communication) {
    const std::string name = csv_text("group " + (line.name.empty() ? "only together" : line.name));
    if (!line.exposed) {
      csv += name + ",,,,,\n";
      continue;
    }
    const double step_s = report.ledger.step.s;
    const auto ratio = step_s > 0 ? std::optional(line.exposed->s / step_s) : std::nullopt;
    csv += fmt::format(
        "{},{},{},{},{},{}\n", name, line.exposed->s, line.exposed->low_s, line.exposed->high_s, csv_number(ratio),
        csv_number(ratio && report.usd_per_hour ? std::optional(*ratio * *report.usd_per_hour) : std::nullopt));
  }
  return csv;
}

}  // namespace stash
