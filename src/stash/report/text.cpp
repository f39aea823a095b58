#include <fmt/format.h>

#include "stash/report/bar.h"
#include "stash/report/group_times.h"
#include "stash/report/lines.h"
#include "stash/report/printable.h"
#include "stash/report/report.h"
#include "stash/report/table.h"
#include "stash/report/verdict.h"

namespace stash {

namespace {

// A line that holds text from the profile.
std::string shown_line(const std::string& text, bool unicode) {
  return fmt::format("{}\n", printable(unicode ? text : to_ascii(text), unicode));
}

std::string injection_line(const Job& job) {
  return job.inject.empty() ? "" : fmt::format("injected stalls: {}\n", to_string(job.inject));
}

std::string conditions_line(const Ledger& ledger) {
  std::string line = "step by condition, ms:";
  for (const auto& [condition, time] : ledger.step_by_condition) {
    line += fmt::format("  {} {}", to_string(condition), milliseconds(time.s, ledger));
  }
  return line + "\n";
}

std::string steady_fetch_line(const Ledger& ledger) {
  if (!ledger.steady_fetch) return "";
  const SteadyFetch& steady = *ledger.steady_fetch;
  return fmt::format("fetch after the first epoch, predicted: {} ms ({} to {}), with {:.0f} % of the data set cached\n",
                     milliseconds(steady.fetch.s, ledger), milliseconds(steady.fetch.low_s, ledger),
                     milliseconds(steady.fetch.high_s, ledger), 100 * steady.cached_ratio);
}

std::string shown_loader(const Profile& profile, const Ledger& ledger, bool unicode) {
  const std::string line = loader_line(profile, ledger);
  return line.empty() ? "" : shown_line(line, unicode);
}

std::string shown_script(const Profile& profile, bool unicode) {
  std::string lines;
  for (const std::string& line : {script_line(profile), work_line(profile)}) {
    if (!line.empty()) lines += shown_line(line, unicode);
  }
  return lines;
}

// What to do first with its reason, and what else would help. Nothing where nothing is worth it.
std::string first_step_lines(const Report& report, bool unicode) {
  if (report.first_steps.empty()) return "";
  const auto saved = [&](const FirstStep& step) { return saved_text(step, report.ledger, report.usd_per_hour); };
  const FirstStep& first = report.first_steps.front();
  std::string lines = shown_line(fmt::format("first: {}: saves {}", first.action, saved(first)), unicode) +
                      shown_line(fmt::format("  how: {}", first.how), unicode) +
                      shown_line(fmt::format("  because {}", first.because), unicode);
  for (std::size_t i = 1; i < report.first_steps.size(); ++i) {
    const FirstStep& other = report.first_steps[i];
    lines += shown_line(fmt::format("  or {} ({}): {}", other.action, other.how, saved(other)), unicode);
  }
  return lines + "\n";
}

// What was tried and what was not; nothing without --try.
std::string tried_lines(const Report& report, bool unicode) {
  if (!report.tries.asked) return "";
  std::string lines;
  if (!report.tries.tried.empty()) lines += "tried in the same rounds:\n";
  for (const TriedStep& step : report.tries.tried) {
    lines += shown_line(fmt::format("  {}: {}", step.action, tried_text(step, report.ledger)), unicode);
  }
  if (!report.tries.not_tried.empty()) lines += "not tried:\n";
  for (const NotTried& one : report.tries.not_tried) {
    lines += shown_line(fmt::format("  {}: {}", one.action, one.why), unicode);
  }
  return lines + "\n";
}

std::string published_line(const Published& published) {
  const auto percent = [](std::optional<double> ratio) {
    return ratio ? fmt::format("{:.1f} %", *ratio * 100) : std::string("–");
  };
  return fmt::format("as the Stash study (ICDCS 2023) counts: interconnect {}, network {}, prep {}, fetch {}\n",
                     percent(published.interconnect_ratio), percent(published.network_ratio),
                     percent(published.prep_ratio), percent(published.fetch_ratio));
}

std::string warning_lines(const Profile& profile, const Ledger& ledger, bool unicode) {
  std::string lines;
  for (const std::string& warning : warnings_shown(profile, ledger)) lines += shown_line(warning, unicode);
  return lines;
}

}  // namespace

std::string render_text(const Report& report, const ReportOptions& options) {
  const Profile& profile = report.profile;
  const Ledger& ledger = report.ledger;
  const auto shown = [&](const std::string& text) { return shown_line(text, options.unicode); };
  const std::string page = fmt::format(
      "{}{}{}{}{}\n{}\n{}\n{}{}{}{}{}{}{}{}{}{}", shown(verdict(profile, ledger)), incomplete_line(profile),
      shown(job_line(profile)), shown_script(profile, options.unicode), injection_line(profile.job),
      render_table(report, options), render_bar(ledger, options), communication_text(report, options.unicode),
      first_step_lines(report, options.unicode), tried_lines(report, options.unicode), conditions_line(ledger),
      steady_fetch_line(ledger), shown_loader(profile, ledger, options.unicode), late_rank_line(profile, ledger),
      stopped_line(profile, ledger), published_line(ledger.published), warning_lines(profile, ledger, options.unicode));
  return options.unicode ? page : to_ascii(page);
}

}  // namespace stash
