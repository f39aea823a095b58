#include <fmt/format.h>

#include "stash/attribute/coverage.h"
#include "stash/report/group_times.h"
#include "stash/report/lines.h"
#include "stash/report/markdown_text.h"
#include "stash/report/report.h"
#include "stash/report/table.h"
#include "stash/report/verdict.h"

namespace stash {

namespace {

using Cells = std::vector<std::string>;

std::string interval_cell(const Estimate& estimate, const Ledger& ledger) {
  if (!differs_from_zero(estimate)) {
    return fmt::format("not distinguishable from 0 (±{})", milliseconds(half_width_s(estimate), ledger));
  }
  return fmt::format("{} to {}", milliseconds(estimate.low_s, ledger), milliseconds(estimate.high_s, ledger));
}

// A time that may be 0 has no price.
Cells present_row(std::string_view name, const Estimate& estimate, const Report& report) {
  const Ledger& ledger = report.ledger;
  const bool has_share = ledger.step.s > 0;
  const double ratio = has_share ? estimate.s / ledger.step.s : 0;
  Cells cells{std::string(name), milliseconds(estimate.s, ledger), has_share ? fmt::format("{:.1f}", ratio * 100) : "–",
              interval_cell(estimate, ledger)};
  if (!report.usd_per_hour) return cells;
  cells.push_back(has_share && differs_from_zero(estimate) ? fmt::format("{:.2f}", ratio * *report.usd_per_hour) : "");
  return cells;
}

Cells absent_row(Part part, const Report& report) {
  Cells cells{std::string(to_string(part)), "–", "–", markdown_text(why_absent(part, report.profile))};
  if (report.usd_per_hour) cells.emplace_back("");
  return cells;
}

std::string table_of(const Report& report) {
  const Ledger& ledger = report.ledger;
  std::vector<Cells> rows{{"part", "ms per step", "% of step", "95 % interval, ms"}};
  if (report.usd_per_hour) rows.front().emplace_back("$/h");
  for (const Part part : kParts) {
    rows.push_back(ledger[part] ? present_row(to_string(part), *ledger[part], report) : absent_row(part, report));
  }
  rows.push_back(present_row("**step**", ledger.step, report));
  return markdown_table(rows);
}

// What to do first and what was tried: only where fixes were measured.
std::string tries_markdown(const Report& report) {
  if (!report.tries.asked) return "";
  std::string text;
  if (!report.first_steps.empty()) {
    const FirstStep& first = report.first_steps.front();
    text += fmt::format("{}\n\n", markdown_text(fmt::format("First: {}: saves {}", first.action,
                                                            saved_text(first, report.ledger, report.usd_per_hour))));
  }
  std::vector<Cells> rows{{"tried", "what it did"}};
  for (const TriedStep& step : report.tries.tried) {
    rows.push_back({markdown_text(step.action), markdown_text(tried_text(step, report.ledger))});
  }
  for (const NotTried& one : report.tries.not_tried) {
    rows.push_back({markdown_text(one.action), markdown_text("not tried: " + one.why)});
  }
  return rows.size() > 1 ? text + markdown_table(rows) + "\n" : text;
}

// Own lines, which may quote names.
std::string paragraph(std::string line) {
  if (line.ends_with('\n')) line.pop_back();
  return line.empty() ? "" : fmt::format("{}\n\n", markdown_text(line));
}

}  // namespace

std::string render_markdown(const Report& report) {
  const Profile& profile = report.profile;
  const Ledger& ledger = report.ledger;
  std::string page =
      fmt::format("**{}**\n\n{}{}\n\n{}\n", markdown_text(verdict(profile, ledger)),
                  paragraph(incomplete_line(profile)), markdown_code(job_line(profile)), table_of(report));
  page += communication_markdown(report) + tries_markdown(report);
  page += paragraph(late_rank_line(profile, ledger)) + paragraph(stopped_line(profile, ledger));
  for (const std::string& warning : warnings_shown(profile, ledger))
    page += fmt::format("- {}\n", markdown_text(warning));
  while (page.ends_with("\n\n")) page.pop_back();
  return page;
}

}  // namespace stash
