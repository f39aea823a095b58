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
    table.add({steps[i].action, steps[i].how, std::string(to_string(steps[i].part)), ms(steps[i].saved.s),
               ms(steps[i].saved.low_s), ms(steps[i].saved.high_s)});
  }
  return table.empty() ? "" : table.folded();
}

}  // namespace

Section first_step_section(const Report& report) {
  const std::vector<FirstStep>& steps = report.first_steps;
  if (steps.empty())
    return {"first", "What to do first", paragraph("None of the changes tried would save enough to be worth making.")};
  return {"first", "What to do first", note_of(steps.front(), report) + others_of(report)};
}

}  // namespace stash
