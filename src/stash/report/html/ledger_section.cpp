#include <fmt/format.h>

#include "stash/attribute/coverage.h"
#include "stash/report/html/html_table.h"
#include "stash/report/html/markup.h"
#include "stash/report/html/part_colors.h"
#include "stash/report/html/sections.h"
#include "stash/report/table.h"
#include "stash/report/verdict.h"

namespace stash {

namespace {

double percent_of_step(const Estimate& time, const Ledger& ledger) {
  return ledger.step.s > 0 ? time.s / ledger.step.s * 100 : 0;
}

// A time that may be 0, or below it, has no price.
std::optional<double> usd_per_hour_of(const Estimate& time, const Report& report) {
  if (!report.usd_per_hour || !differs_from_zero(time) || time.s < 0) return std::nullopt;
  return percent_of_step(time, report.ledger) / 100 * *report.usd_per_hour;
}

std::string figures_of(const Estimate& time, const Report& report) {
  const Ledger& ledger = report.ledger;
  std::string text = fmt::format("{} ms ± {}, {:.1f} %", milliseconds(time.s, ledger),
                                 milliseconds(half_width_s(time), ledger), percent_of_step(time, ledger));
  if (const auto usd = usd_per_hour_of(time, report)) text += fmt::format(", ${:.2f}/h", *usd);
  return text;
}

std::string whole_chart(const Report& report) {
  const Ledger& ledger = report.ledger;
  const BarRow row{"step", figures_of(ledger.step, report), ledger_segments(ledger),
                   Whisker{ledger.step.low_s, ledger.step.high_s}};
  const Ledger* const ledgers[] = {&ledger};
  return parts_legend(ledgers) + bar_chart("The step and its parts", std::span(&row, 1), tick_ms);
}

std::string parts_chart(const Report& report) {
  std::vector<BarRow> rows;
  for (const Part part : kParts) {
    const auto& time = report.ledger[part];
    if (!time) continue;
    const std::string figures = figures_of(*time, report);
    rows.push_back({std::string(to_string(part)),
                    figures,
                    {{time->s, class_of(part), fmt::format("{}: {}", to_string(part), figures)}},
                    Whisker{time->low_s, time->high_s}});
  }
  return bar_chart("Each part with its 95 % interval", rows, tick_ms);
}

Cell ms_cell(double s, const Ledger& ledger) { return {milliseconds(s, ledger), s * 1e3}; }

std::vector<Cell> row_of(std::string_view name, const Estimate& time, const Report& report) {
  const Ledger& ledger = report.ledger;
  std::vector<Cell> row{std::string(name), ms_cell(time.s, ledger), ms_cell(time.low_s, ledger),
                        ms_cell(time.high_s, ledger), number_cell(percent_of_step(time, ledger), 1)};
  if (report.usd_per_hour) row.push_back(number_cell(usd_per_hour_of(time, report), 2));
  row.push_back(differs_from_zero(time) ? "" : "not distinguishable from 0");
  return row;
}

std::vector<Cell> absent_row(Part part, const Report& report) {
  std::vector<Cell> row{std::string(to_string(part)), "–", "–", "–", "–"};
  if (report.usd_per_hour) row.push_back("–");
  row.push_back(why_absent(part, report.profile));
  return row;
}

std::string table_of(const Report& report) {
  HtmlTable table("The ledger: milliseconds of every step by cause, with 95 % intervals",
                  {"part", "ms per step", "from", "to", "% of step"});
  if (report.usd_per_hour) table.add_column("$ per hour");
  table.add_column("");
  for (const Part part : kParts) {
    const auto& time = report.ledger[part];
    table.add(time ? row_of(to_string(part), *time, report) : absent_row(part, report));
  }
  table.add(row_of("step", report.ledger.step, report), "total");
  return table.str();
}

std::string steady_line(const Ledger& ledger) {
  if (!ledger.steady_fetch) return "";
  return paragraph(fmt::format(
      "After the first epoch fetch is predicted to take {} ms ({} to {}), with {:.0f} % of the data set cached.",
      milliseconds(ledger.steady_fetch->fetch.s, ledger), milliseconds(ledger.steady_fetch->fetch.low_s, ledger),
      milliseconds(ledger.steady_fetch->fetch.high_s, ledger), ledger.steady_fetch->cached_ratio * 100));
}

}  // namespace

Section ledger_section(const Report& report) {
  return {"ledger", "Where the step's time goes",
          figure(whole_chart(report) + parts_chart(report),
                 "Bars are means over the rounds, lines their 95 % intervals. A part below 0 has no bar.") +
              table_of(report) + steady_line(report.ledger)};
}

}  // namespace stash
