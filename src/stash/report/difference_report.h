#pragma once

#include <optional>
#include <string>

#include "stash/attribute/difference.h"
#include "stash/core/profile.h"
#include "stash/report/report.h"

namespace stash {

// Two profiles, what differs between them, and the limit that it was held against.
struct DifferencePage {
  const Profile& before;
  const Profile& after;
  const Difference& difference;
  std::optional<double> limit_ratio = std::nullopt;
};

// One line: by how much the step became slower or faster and which parts did it, or that nothing really changed.
std::string difference_verdict(const DifferencePage& page);
// One line: what is over the limit, or that nothing is; empty without a limit.
std::string limit_line(const DifferencePage& page);
// Jobs and settings that differ, and what else a reader must know; they hold text from the profiles as it is.
std::vector<std::string> difference_warnings(const Difference& difference);

std::string render_difference_text(const DifferencePage& page, const ReportOptions& options);
std::string render_difference_json(const DifferencePage& page, const ReportOptions& options);
// part,before_s,after_s,change_s,low_s,high_s,ratio,p,real: the seven parts, then the step. Unknown is empty.
std::string render_difference_csv(const DifferencePage& page, const ReportOptions& options);
std::string render_difference_markdown(const DifferencePage& page, const ReportOptions& options);

// The table's cells, header first: part, before, after, change, share of the step, interval, whether it is real.
std::vector<std::vector<std::string>> difference_rows(const Difference& difference);

}  // namespace stash
