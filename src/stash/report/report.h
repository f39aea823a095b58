#pragma once

#include <optional>
#include <string>
#include <vector>

#include "stash/advise/first_step.h"
#include "stash/advise/tried_step.h"
#include "stash/catalog/expected_link.h"
#include "stash/core/ledger.h"
#include "stash/core/profile.h"

namespace stash {

// A profile with all that was found out about it. Whoever asks for pages makes it once; writers only write it down.
struct Report {
  Profile profile;
  Ledger ledger;
  std::vector<FirstStep> first_steps;        // what to do first, then what else would help
  Tries tries{};                             // fixes that were measured beside the ledger
  std::optional<ExpectedLink> gpu_link;      // what the catalogue says of this machine; nullopt: nothing
  std::optional<ExpectedLink> network_link;  // the same between machines
  std::optional<double> usd_per_hour = {};   // price of all machines of the job together
};

struct ReportOptions {
  bool color = false;   // ANSI colours
  bool unicode = true;  // false: ASCII only
  int width = 80;       // columns
};

// The page for people: verdict, job, table, bar, what else was found, warnings. Strings of the profile come out
// without control characters.
std::string render_text(const Report& report, const ReportOptions& options);

// One JSON object, ASCII; docs/cli/report.md describes it.
std::string render_json(const Report& report);

// part,s,low_s,high_s,ratio,usd_per_hour: the seven parts, the step, then "group NAME" for each process group of a
// script. Unknown is empty.
std::string render_csv(const Report& report);

// For a pull request: verdict, job, table, warnings in GitHub's Markdown. Strings of the profile come out as text.
std::string render_markdown(const Report& report);

// The ledger as OpenMetrics gauges, which a textfile collector or a push gateway takes; docs/cli/report.md.
std::string render_ledger_openmetrics(const Report& report);

}  // namespace stash
