#include "stash/report/html/difference_page.h"

#include <fmt/format.h>

#include "stash/report/html/html_table.h"
#include "stash/report/html/markup.h"
#include "stash/report/html/page_frame.h"
#include "stash/report/lines.h"
#include "stash/report/verdict.h"

namespace stash {

namespace {

std::string table_of(const Difference& difference) {
  const std::vector<std::vector<std::string>> rows = difference_rows(difference);
  HtmlTable table("Milliseconds of a step by cause", {});
  for (const std::string& name : rows.front()) table.add_column(name);
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const bool is_step = i + 1 == rows.size();
    const Change& change = is_step ? difference.step : difference.parts[i - 1];
    std::vector<Cell> cells;
    for (const std::string& text : rows[i]) cells.emplace_back(text);
    if (change.before) cells[1].value = change.before->s * 1e3;
    if (change.after) cells[2].value = change.after->s * 1e3;
    if (change.change) {
      cells[3].value = change.change->s * 1e3;
      if (const std::optional<double> ratio = ratio_of_step(change.change->s, difference))
        cells[4].value = *ratio * 100;
    }
    table.add(std::move(cells), is_step ? "total" : change.real ? "best" : "");
  }
  return table.str();
}

std::vector<std::string> alerts_of(const DifferencePage& page) {
  std::vector<std::string> alerts;
  if (!page.difference.jobs.empty()) alerts.push_back("These are not two profiles of one job; see the warnings.");
  if (const std::string limit = limit_line(page); !limit.empty()) alerts.push_back(limit);
  return alerts;
}

}  // namespace

std::string render_difference_html(const DifferencePage& page, const std::string& before_name,
                                   const std::string& after_name) {
  const PageHead head{.title = fmt::format("stash: {} and {}", before_name, after_name),
                      .verdict = difference_verdict(page),
                      .lines = {fmt::format("before: {}: {}", before_name, job_line(page.before)),
                                fmt::format("after: {}: {}", after_name, job_line(page.after))},
                      .alerts = alerts_of(page)};
  const std::vector<std::string> warnings = difference_warnings(page.difference);
  return html_page(head, {{"change", "What changed", table_of(page.difference)},
                          {"warnings", "Warnings", warnings.empty() ? "" : list(warnings)}});
}

}  // namespace stash
