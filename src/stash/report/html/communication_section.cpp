#include <fmt/format.h>

#include "stash/report/group_times.h"
#include "stash/report/html/charts.h"
#include "stash/report/html/html_table.h"
#include "stash/report/html/markup.h"
#include "stash/report/html/part_colors.h"
#include "stash/report/html/sections.h"
#include "stash/report/table.h"

namespace stash {

namespace {

std::string groups_chart(const Ledger& ledger) {
  std::vector<BarRow> rows;
  for (const GroupTime& line : shown_groups(ledger)) {
    if (!line.exposed) continue;
    const std::string figures = fmt::format("{} ms ± {}", milliseconds(line.exposed->s, ledger),
                                            milliseconds(half_width_s(*line.exposed), ledger));
    const std::string classes = class_of(line.between_nodes ? Part::network : Part::interconnect);
    rows.push_back({group_title(line),
                    figures,
                    {{line.exposed->s, classes, fmt::format("{}: {}", group_title(line), figures)}},
                    Whisker{line.exposed->low_s, line.exposed->high_s}});
  }
  return rows.empty() ? "" : bar_chart("What each process group costs, with its 95 % interval", rows, tick_ms);
}

std::string groups_table(const Ledger& ledger) {
  HtmlTable table("Communication by process group: per step and rank",
                  {"group", "ms", "from", "to", "% of step", "calls", "bytes", "operations", ""});
  for (const GroupTime& line : shown_groups(ledger)) {
    const auto ms = [&](double Estimate::* end) {
      return line.exposed ? Cell{milliseconds((*line.exposed).*end, ledger), (*line.exposed).*end * 1e3} : Cell{"–"};
    };
    const bool has_share = line.exposed && ledger.step.s > 0;
    const bool counted = !line.operations.empty();
    table.add({group_title(line), ms(&Estimate::s), ms(&Estimate::low_s), ms(&Estimate::high_s),
               number_cell(has_share ? std::optional(line.exposed->s / ledger.step.s * 100) : std::nullopt, 1),
               number_cell(counted ? std::optional(calls_of(line)) : std::nullopt, 1),
               number_cell(counted ? std::optional(bytes_of(line)) : std::nullopt, 0), operations_text(line),
               group_remark(line, ledger)});
  }
  return table.empty() ? "" : table.str();
}

}  // namespace

Section communication_section(const Report& report) {
  const std::string chart = groups_chart(report.ledger), table = groups_table(report.ledger);
  if (table.empty()) return {"communication", "Communication by process group", ""};
  const std::string note =
      "Each group was switched off alone, the others not. The lines add up to interconnect and network.";
  return {"communication", "Communication by process group", figure(chart, note) + table};
}

}  // namespace stash
