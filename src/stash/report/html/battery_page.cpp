#include "stash/report/html/battery_page.h"

#include <fmt/format.h>

#include <algorithm>

#include "stash/core/units.h"
#include "stash/report/battery_report.h"
#include "stash/report/html/html_table.h"
#include "stash/report/html/markup.h"
#include "stash/report/html/page_frame.h"
#include "stash/report/html/part_colors.h"
#include "stash/report/lines.h"

namespace stash {

namespace {

using Cases = std::vector<const CaseResult*>;

constexpr std::size_t kMostCaseBars = 64;

std::string label_of(const CaseResult& result) {
  const Job& job = result.of.job;
  std::string label =
      fmt::format("{}, batch {}, {} rank{}", job.model, job.batch, job.ranks, job.ranks == 1 ? "" : "s");
  if (result.of.nodes > 1) label += fmt::format(", {} nodes", result.of.nodes);
  return label;
}

std::string duration_text(std::optional<double> s) { return s ? format_duration(*s) : "–"; }

double share(const Estimate& time, const Ledger& ledger) { return ledger.step.s > 0 ? time.s / ledger.step.s : 0; }

// Steps differ by orders of magnitude between models, so bars are shares of a step.
BarRow share_row(const CaseResult& result) {
  BarRow row{label_of(result),
             fmt::format("step {}", format_duration(result.ledger->step.s)),
             ledger_segments(*result.ledger),
             {}};
  for (BarSegment& segment : row.segments) {
    segment.value = result.ledger->step.s > 0 ? segment.value / result.ledger->step.s * 100 : 0;
  }
  return row;
}

std::string share_chart(const Cases& cases) {
  std::vector<BarRow> rows;
  std::vector<const Ledger*> ledgers;
  for (const CaseResult* result : std::span(cases).first(std::min(cases.size(), kMostCaseBars))) {
    rows.push_back(share_row(*result));
    ledgers.push_back(&*result->ledger);
  }
  return figure(parts_legend(ledgers) + bar_chart("Shares of a step by case", rows,
                                                  [](double percent) { return fmt::format("{:g} %", percent); }),
                "Where a step's time goes, in percent of the step of each case.");
}

// Seconds of an epoch after the first, by cause.
std::vector<BarSegment> epoch_segments(const CaseResult& result) {
  const Ledger& ledger = *result.ledger;
  std::vector<BarSegment> segments;
  for (const Part part : kParts) {
    const bool steady = part == Part::fetch && ledger.steady_fetch;
    const std::optional<Estimate> time = steady ? std::optional(ledger.steady_fetch->fetch) : ledger[part];
    if (!time) continue;
    const double s = *result.epoch_s * share(*time, ledger);
    segments.push_back({s, class_of(part), fmt::format("{}: {} of an epoch", to_string(part), format_duration(s))});
  }
  return segments;
}

std::string epoch_chart(const Cases& cases) {
  std::vector<BarRow> rows;
  for (const CaseResult* result : cases) {
    if (!result->epoch_s || rows.size() >= kMostCaseBars) continue;
    const std::string cost = result->epoch_usd ? fmt::format(", ${:.2f}", *result->epoch_usd) : "";
    rows.push_back({label_of(*result), format_duration(*result->epoch_s) + cost, epoch_segments(*result), {}});
  }
  if (rows.empty()) return "";
  return figure(time_bar_chart("Time of an epoch by case", std::move(rows)),
                "What an epoch takes after the first, and what of it each stall takes.");
}

Cell interval_cell_ms(const std::optional<Estimate>& time) {
  if (!time) return number_cell(std::nullopt, 2);
  return {fmt::format("{:.2f} ± {:.2f}", time->s * 1e3, (time->high_s - time->low_s) / 2 * 1e3), time->s};
}

std::string case_table(const Cases& cases) {
  HtmlTable table("Cases: shares of the step in %, and milliseconds with half their 95 % interval",
                  {"case", "step, ms", "from", "to"}, HtmlTable::kMostMainBytes);
  for (const Part part : kParts) table.add_column(fmt::format("{}, %", to_string(part)));
  for (const Part part : kParts) table.add_column(fmt::format("{}, ms", to_string(part)));
  for (const char* name : {"samples per second", "first epoch", "epoch", "$ per epoch"}) table.add_column(name);
  for (const CaseResult* result : cases) {
    const Ledger& ledger = *result->ledger;
    std::vector<Cell> row{label_of(*result), number_cell(ledger.step.s * 1e3, 2),
                          number_cell(ledger.step.low_s * 1e3, 2), number_cell(ledger.step.high_s * 1e3, 2)};
    for (const Part part : kParts) {
      row.push_back(number_cell(ledger[part] ? std::optional(share(*ledger[part], ledger) * 100) : std::nullopt, 1));
    }
    for (const Part part : kParts) row.push_back(interval_cell_ms(ledger[part]));
    row.push_back(number_cell(result->samples_per_s, 1));
    row.push_back({duration_text(result->first_epoch_s), result->first_epoch_s});
    row.push_back({duration_text(result->epoch_s), result->epoch_s});
    row.push_back(number_cell(result->epoch_usd, 2));
    table.add(std::move(row));
  }
  return table.str();
}

std::string published_table(const Cases& cases) {
  HtmlTable table("As the Stash study (ICDCS 2023) counts, %",
                  {"case", "interconnect", "network", "prep (CPU)", "fetch (disk)", "compute, % of the step"},
                  HtmlTable::kMostMainBytes);
  const auto percent = [](std::optional<double> ratio) {
    return number_cell(ratio ? std::optional(*ratio * 100) : std::nullopt, 1);
  };
  for (const CaseResult* result : cases) {
    const Published& published = result->ledger->published;
    table.add({label_of(*result), percent(published.interconnect_ratio), percent(published.network_ratio),
               percent(published.prep_ratio), percent(published.fetch_ratio), percent(result->compute_ratio)});
  }
  return table.str();
}

Section not_measured(const BatterySummary& summary) {
  HtmlTable table("Cases without a profile, with the reason", {"case", "state", "why"});
  for (const CaseResult& result : summary.cases) {
    if (result.state == CaseState::finished) continue;
    table.add({result.of.name, std::string(words_of(result.state)), result.why});
  }
  return {"left", "What was not measured", table.empty() ? "" : table.str()};
}

Section figures_section(const BatterySummary& summary) {
  HtmlTable table("The machine alone: medians with 95 % intervals",
                  {"figure", "setting", "median", "from", "to", "samples", ""});
  for (const Figure& one : summary.figures) {
    const auto shown = [&](std::optional<double> value) {
      return value ? Cell{figure_amount(*value, one.unit), *value} : Cell{"–"};
    };
    table.add({one.name, one.setting, shown(one.median), shown(one.low), shown(one.high),
               one.samples.empty() ? Cell{"–"} : number_cell(static_cast<double>(one.samples.size()), 0),
               one.why_absent});
  }
  return {"machine", "The machine alone", table.empty() ? "" : table.str()};
}

std::string machine_line(const BatterySummary& summary) {
  std::string line = fmt::format("{}: {} cores of {}", summary.name, summary.machine.cores, summary.machine.cpu);
  if (!summary.machine.gpus.empty()) {
    line += fmt::format(", {} x {}", summary.machine.gpus.size(), summary.machine.gpus.front().name);
  }
  if (!summary.instance.empty()) line += ", rented as " + summary.instance;
  return summary.usd_per_h ? line + fmt::format(", ${:.2f} per hour", *summary.usd_per_h) : line;
}

std::vector<std::string> emulated_alert(const Cases& cases) {
  for (const CaseResult* result : cases) {
    std::string line = emulated_line("Cases were", result->of.job);
    if (!line.empty()) return {std::move(line)};
  }
  return {};
}

}  // namespace

std::string render_battery_html(const BatterySummary& summary) {
  const Cases cases = finished_cases(summary);
  const PageHead head{.title = "stash: " + summary.name,
                      .verdict = battery_verdict(summary),
                      .lines = {machine_line(summary)},
                      .alerts = emulated_alert(cases)};
  const std::string shares = cases.empty() ? "" : share_chart(cases) + case_table(cases);
  const std::string epochs = cases.empty() ? "" : epoch_chart(cases);
  return html_page(head, {{"stalls", "Stalls", shares},
                          {"epochs", "Epochs", epochs},
                          {"study", "The study's percentages", cases.empty() ? "" : published_table(cases)},
                          not_measured(summary),
                          figures_section(summary)});
}

}  // namespace stash
