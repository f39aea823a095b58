#include <fmt/format.h>

#include "stash/report/html/html_table.h"
#include "stash/report/html/markup.h"
#include "stash/report/html/sections.h"
#include "stash/report/lines.h"

namespace stash {

namespace {

std::string published_table(const Published& published) {
  HtmlTable table("As the Stash study (ICDCS 2023) counts, %", {"stall", "%"});
  const auto add = [&](const char* name, std::optional<double> ratio) {
    table.add({name, number_cell(ratio ? std::optional(*ratio * 100) : std::nullopt, 1)});
  };
  add("interconnect", published.interconnect_ratio);
  add("network", published.network_ratio);
  add("prep", published.prep_ratio);
  add("fetch", published.fetch_ratio);
  return table.folded();
}

}  // namespace

Section method_section(const Report& report) {
  const std::vector<std::string> warnings = warnings_shown(report.profile, report.ledger);
  return {"method", "Method and warnings",
          (warnings.empty() ? "" : list(warnings)) + paragraph(stopped_line(report.profile, report.ledger)) +
              paragraph("One launch ran the job under a chain of conditions, each of which switches one cause of "
                        "stalls on, in short windows of consecutive steps. A round visits every condition once, in a "
                        "random order; a part is the mean over the rounds of the difference of two neighbouring "
                        "conditions, so that drift cancels. Intervals are 95 %.") +
              published_table(report.ledger.published)};
}

}  // namespace stash
