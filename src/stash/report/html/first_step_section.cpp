#include <fmt/format.h>

#include "stash/report/html/escape.h"
#include "stash/report/html/html_table.h"
#include "stash/report/html/markup.h"
#include "stash/report/html/sections.h"
#include "stash/report/lines.h"
#include "stash/report/table.h"

namespace stash {

namespace {

std::string note_of(const FirstStep& step, const Report& report) {
  return fmt::format(
      "<div class=\"note\">\n<p><strong>{}</strong>: saves {}.</p>\n<p>How: <code>{}</code></p>\n{}</div>\n",
      html_text(step.action, 400), html_text(saved_text(step, report.ledger, report.usd_per_hour), 400),
      html_text(step.how, 400), paragraph(step.because + ".", "quiet"));
}

std::string others_of(const Report& report) {
  const std::vector<FirstStep>& steps = report.first_steps;
  HtmlTable table("What else would help, each change alone",
                  {"what", "how", "part", "saves, ms per step", "from", "to"});
  for (std::size_t i = 1; i < steps.size(); ++i) {
    const auto ms = [&](double s) { return Cell{milliseconds(s, report.ledger), s * 1e3}; };
    table.add({steps[i].action, steps[i].how, std::string(to_string(steps[i].part)), ms(steps[i].best().s),
               ms(steps[i].best().low_s), ms(steps[i].best().high_s)});
  }
  return table.empty() ? "" : table.folded();
}

std::string tries_of(const Report& report) {
  if (!report.tries.asked) return "";
  HtmlTable table("Fixes that were measured in the same rounds, and those that were not",
                  {"what", "how", "what it did", "saves, ms per step", "from", "to", "predicted"});
  for (const TriedStep& step : report.tries.tried) {
    const auto ms = [&](double s) { return Cell{milliseconds(s, report.ledger), s * 1e3}; };
    table.add({step.action, step.how, tried_text(step, report.ledger), ms(step.measured.s), ms(step.measured.low_s),
               ms(step.measured.high_s), step.predicted_s ? ms(*step.predicted_s) : Cell{""}});
  }
  for (const NotTried& one : report.tries.not_tried) {
    table.add({one.action, "", "not tried: " + one.why, "", "", "", ""});
  }
  return table.empty() ? "" : table.folded();
}

}  // namespace

Section first_step_section(const Report& report) {
  const std::vector<FirstStep>& steps = report.first_steps;
  if (steps.empty())
    return {"first", "What to do first",
            paragraph("None of the changes looked at would save enough to be worth making.") + tries_of(report)};
  return {"first", "What to do first", note_of(steps.front(), report) + others_of(report) + tries_of(report)};
}

}  // namespace stash
