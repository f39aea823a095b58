#include <fmt/format.h>
#include <fmt/ranges.h>

#include "stash/attribute/attribute.h"
#include "stash/attribute/coverage.h"
#include "stash/attribute/rounds.h"
#include "stash/core/units.h"
#include "stash/report/bar.h"
#include "stash/report/printable.h"
#include "stash/report/report.h"
#include "stash/report/table.h"
#include "stash/report/verdict.h"

namespace stash {

namespace {

constexpr std::size_t kMostWarnings = 50;  // of a file that may hold any number

std::string plural(int count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

// A line that holds text from the profile.
std::string shown_line(const std::string& text, bool unicode) {
  return fmt::format("{}\n", printable(unicode ? text : to_ascii(text), unicode));
}

std::string job_line(const Profile& profile) {
  const Job& job = profile.job;
  const std::string emulated = emulated_name(job);
  std::string line = job.model;
  if (job.batch > 0) line += fmt::format(", batch {} a rank", job.batch);
  line += fmt::format(", {} on {} ({}, {})", plural(job.ranks, "rank"), emulated.empty() ? job.device : emulated,
                      job.backend, job.dtype);
  if (const int nodes = node_count(profile); nodes > 1) line += fmt::format(", {} nodes", nodes);
  if (!profile.machine.cpu.empty()) {
    line += fmt::format("; {} with {} of {}", profile.machine.hostname, plural(profile.machine.cores, "core"),
                        profile.machine.cpu);
  }
  for (const GpuInfo& gpu : profile.machine.gpus) line += fmt::format(", {}", gpu.name);
  return line;
}

std::string injection_line(const Job& job) {
  return job.inject.empty() ? "" : fmt::format("stalls put in on purpose: {}\n", to_string(job.inject));
}

std::string incomplete_line(const Profile& profile) {
  if (profile.complete) return "";
  return fmt::format("INCOMPLETE: the profile ended early ({}); what follows rests on what was measured until then\n",
                     to_string(profile.stopped_by));
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

std::string late_rank_line(const Profile& profile, const Ledger& ledger) {
  if (profile.job.ranks < 2) return "";
  if (!ledger.late_rank) return "late rank: none\n";
  const LateRank& late = *ledger.late_rank;
  const std::string on = profile.places.empty() ? "" : " on " + printable(host_of(profile, late.rank));
  return fmt::format(
      "late rank: {}{} is {} a step behind the median of the others, first under {}: its {} is to blame\n", late.rank,
      on, format_duration(late.s), to_string(late.condition), to_string(late.cause));
}

std::string stop_reason(const Profile& profile) {
  switch (profile.stopped_by) {
    case StoppedBy::precision:
      return fmt::format("every interval is within ±{:g} % of the step", profile.job.precision_ratio * 100);
    case StoppedBy::time:
      if (profile.job.rounds > 0 && count_complete_rounds(profile) >= profile.job.rounds)
        return "so many were asked for";
      return fmt::format("the time allowed, {}, was spent", format_duration(profile.job.max_time_s));
    case StoppedBy::interrupted:
      return "it was interrupted";
    case StoppedBy::fault:
      return "a fault ended it";
  }
  return "";
}

std::string stopped_line(const Profile& profile, const Ledger& ledger) {
  return fmt::format("sampling stopped after {} ({}): {}\n", plural(ledger.rounds + ledger.rounds_left_out, "round"),
                     format_duration(profile.elapsed_s), stop_reason(profile));
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
  std::vector<std::string> warnings = ledger_warnings(profile, ledger);
  warnings.insert(warnings.end(), profile.warnings.begin(), profile.warnings.end());
  std::string lines;
  for (std::size_t i = 0; i < std::min(warnings.size(), kMostWarnings); ++i) {
    lines += shown_line(fmt::format("warning: {}", warnings[i]), unicode);
  }
  if (warnings.size() > kMostWarnings) lines += fmt::format("and {} warnings more\n", warnings.size() - kMostWarnings);
  return lines;
}

}  // namespace

std::string render_text(const Profile& profile, const Ledger& ledger, const ReportOptions& options) {
  const auto shown = [&](const std::string& text) { return shown_line(text, options.unicode); };
  const std::string page = fmt::format(
      "{}{}{}{}\n{}\n{}\n{}{}{}{}{}{}", shown(verdict(profile, ledger)), incomplete_line(profile),
      shown(job_line(profile)), injection_line(profile.job), render_table(profile, ledger, options),
      render_bar(ledger, options), conditions_line(ledger), steady_fetch_line(ledger), late_rank_line(profile, ledger),
      stopped_line(profile, ledger), published_line(ledger.published), warning_lines(profile, ledger, options.unicode));
  return options.unicode ? page : to_ascii(page);
}

}  // namespace stash
