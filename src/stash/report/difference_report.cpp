#include "stash/report/difference_report.h"

#include <fmt/format.h>

#include <array>

#include "stash/report/cells.h"
#include "stash/report/columns.h"
#include "stash/report/prediction_csv.h"
#include "stash/report/printable.h"

namespace stash {

namespace {

using Cells = std::vector<std::string>;

std::string ms(double s, const Difference& difference, bool with_sign = false) {
  const double step_ms = difference.step.before->s * 1e3;
  const int digits = step_ms >= 1000 ? 0 : step_ms >= 100 ? 1 : step_ms >= 10 ? 2 : 3;
  return with_sign ? fmt::format("{:+.{}f}", s * 1e3, digits) : fmt::format("{:.{}f}", s * 1e3, digits);
}

std::string ms(const std::optional<Estimate>& estimate, const Difference& difference) {
  return estimate ? ms(estimate->s, difference) : std::string(kUnknown);
}

Cells row(std::string_view name, const Change& change, const Difference& difference) {
  Cells cells{std::string(name), ms(change.before, difference), ms(change.after, difference)};
  if (!change.change) {
    cells.insert(cells.end(), {std::string(kUnknown), std::string(kUnknown), change.why_absent, ""});
    return cells;
  }
  const Estimate& s = *change.change;
  const std::optional<double> ratio = ratio_of_step(s.s, difference);
  cells.insert(cells.end(), {ms(s.s, difference, true), ratio ? fmt::format("{:+.1f}", *ratio * 100) : "–",
                             fmt::format("{} to {}", ms(s.low_s, difference, true), ms(s.high_s, difference, true)),
                             change.real ? "yes" : "no"});
  return cells;
}

std::string csv_row(std::string_view name, const Change& change, const Difference& difference) {
  const auto of = [](const std::optional<Estimate>& e, double Estimate::* field) {
    return e ? std::optional((*e).*field) : std::nullopt;
  };
  const auto& s = change.change;
  return fmt::format("{},{},{},{},{},{},{},{},{}\n", name, csv_number(of(change.before, &Estimate::s)),
                     csv_number(of(change.after, &Estimate::s)), csv_number(of(s, &Estimate::s)),
                     csv_number(of(s, &Estimate::low_s)), csv_number(of(s, &Estimate::high_s)),
                     s ? csv_number(ratio_of_step(s->s, difference)) : "", csv_number(change.p),
                     s ? (change.real ? "true" : "false") : "");
}

}  // namespace

std::vector<std::vector<std::string>> difference_rows(const Difference& difference) {
  std::vector<Cells> rows{{"part", "before, ms", "after, ms", "change, ms", "% of step", "95 % interval, ms", "real"}};
  for (const Part part : kParts) rows.push_back(row(to_string(part), difference[part], difference));
  rows.push_back(row("step", difference.step, difference));
  return rows;
}

std::string render_difference_text(const DifferencePage& page, const ReportOptions& options) {
  const auto shown = [&](const std::string& line) {
    return printable(options.unicode ? line : to_ascii(line), options.unicode) + "\n";
  };
  std::vector<Cells> rows = difference_rows(page.difference);
  for (Cells& cells : rows) {
    for (std::string& cell : cells) cell = printable(cell);
  }
  std::string text = shown(difference_verdict(page));
  if (const std::string limit = limit_line(page); !limit.empty()) text += shown(limit);
  text += fmt::format("\n{}\n", render_columns(rows, std::array<std::size_t, 3>{0, 5, 6}));
  for (const std::string& warning : difference_warnings(page.difference))
    text += shown(fmt::format("warning: {}", warning));
  if (text.ends_with("\n\n")) text.pop_back();
  return options.unicode ? text : to_ascii(text);
}

std::string render_difference_csv(const DifferencePage& page, const ReportOptions&) {
  std::string csv = "part,before_s,after_s,change_s,low_s,high_s,ratio,p,real\n";
  for (const Part part : kParts) csv += csv_row(to_string(part), page.difference[part], page.difference);
  return csv + csv_row("step", page.difference.step, page.difference);
}

}  // namespace stash
