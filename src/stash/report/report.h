#pragma once

#include <optional>
#include <string>

#include "stash/core/ledger.h"
#include "stash/core/profile.h"

namespace stash {

struct ReportOptions {
  std::optional<double> usd_per_hour = std::nullopt;  // price of all machines of the job together
  bool color = false;                                 // ANSI colours
  bool unicode = true;                                // false: ASCII only
  int width = 80;                                     // columns
};

// The page for people: verdict, job, table, bar, what else was found, warnings. Strings of the profile come out
// without control characters.
std::string render_text(const Profile& profile, const Ledger& ledger, const ReportOptions& options);

// One JSON object, ASCII; docs/cli/report.md describes it.
std::string render_json(const Profile& profile, const Ledger& ledger, const ReportOptions& options);

// part,s,low_s,high_s,ratio,usd_per_h: the seven parts, then the step. Unknown is empty.
std::string render_csv(const Profile& profile, const Ledger& ledger, const ReportOptions& options);

// For a pull request: verdict, job, table, warnings in GitHub's Markdown. Strings of the profile come out as text.
std::string render_markdown(const Profile& profile, const Ledger& ledger, const ReportOptions& options);

// The ledger as OpenMetrics gauges, which a textfile collector or a push gateway takes; docs/cli/report.md.
std::string render_ledger_openmetrics(const Profile& profile, const Ledger& ledger, const ReportOptions& options);

}  // namespace stash
