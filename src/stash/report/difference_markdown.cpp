#include <fmt/format.h>

#include "stash/report/difference_report.h"
#include "stash/report/lines.h"
#include "stash/report/markdown_text.h"

namespace stash {

std::string render_difference_markdown(const DifferencePage& page, const ReportOptions&) {
  constexpr std::size_t kReal = 6;
  std::vector<std::vector<std::string>> rows = difference_rows(page.difference);
  for (auto& cells : rows) {
    for (std::string& cell : cells) cell = markdown_text(cell);
    if (cells[kReal] == "yes") cells[0] = fmt::format("**{}**", cells[0]);
  }
  std::string text = fmt::format("**{}**\n\n", markdown_text(difference_verdict(page)));
  if (const std::string limit = limit_line(page); !limit.empty()) text += limit + "\n\n";
  text += fmt::format("{}\n\n{}", markdown_code(job_line(page.after)), markdown_table(rows));
  const std::vector<std::string> warnings = difference_warnings(page.difference);
  if (!warnings.empty()) text += "\n";
  for (const std::string& warning : warnings) text += fmt::format("- warning: {}\n", markdown_text(warning));
  return text;
}

}  // namespace stash
