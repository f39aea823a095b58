#include <fmt/format.h>

#include <functional>

#include "stash/core/version.h"
#include "stash/report/group_times.h"
#include "stash/report/openmetrics.h"
#include "stash/report/printable.h"
#include "stash/report/report.h"

namespace stash {

namespace {

constexpr std::size_t kLongestLabel = 200;  // characters; databases of metrics refuse much longer ones

std::string label(std::string_view text) { return openmetrics_label(printable(text, true, kLongestLabel)); }

std::string family(std::string_view name, std::string_view unit, std::string_view help) {
  return fmt::format("# TYPE {0} gauge\n{1}# HELP {0} {2}\n", name,
                     unit.empty() ? "" : fmt::format("# UNIT {} {}\n", name, unit), help);
}

// What tells series of different jobs apart.
std::string job_labels(const Profile& profile) {
  return fmt::format("model=\"{}\",device=\"{}\",ranks=\"{}\",host=\"{}\"", label(job_name(profile.job)),
                     label(profile.job.device.text()), profile.job.ranks, label(profile.machine.hostname));
}

std::string info(const Profile& profile) {
  return fmt::format(
      "# TYPE stash_profile info\n# HELP stash_profile The job that was profiled.\n"
      "stash_profile_info{{{},batch=\"{}\",dtype=\"{}\",backend=\"{}\",version=\"{}\"}} 1\n",
      job_labels(profile), profile.job.batch > 0 ? fmt::format("{}", profile.job.batch) : "", label(profile.job.dtype),
      label(profile.job.backend), kVersion);
}

using OfEstimate = std::function<double(const Estimate&)>;

std::string part_family(const Ledger& ledger, const std::string& labels, std::string_view name, std::string_view unit,
                        std::string_view help, const OfEstimate& value) {
  std::string text = family(name, unit, help);
  for (const Part part : kParts) {
    if (!ledger[part]) continue;
    text += fmt::format("{}{{{},part=\"{}\"}} {}\n", name, labels, to_string(part), value(*ledger[part]));
  }
  return text;
}

std::string single(std::string_view name, std::string_view unit, std::string_view help, const std::string& labels,
                   double value) {
  return family(name, unit, help) + fmt::format("{}{{{}}} {}\n", name, labels, value);
}

std::string step_families(const Ledger& ledger, const std::string& labels) {
  return single("stash_ledger_step_seconds", "seconds", "Time of a step.", labels, ledger.step.s) +
         single("stash_ledger_step_low_seconds", "seconds", "Lower end of its 95 % interval.", labels,
                ledger.step.low_s) +
         single("stash_ledger_step_high_seconds", "seconds", "Upper end of its 95 % interval.", labels,
                ledger.step.high_s);
}

std::string part_families(const Ledger& ledger, const std::string& labels) {
  return part_family(ledger, labels, "stash_ledger_part_seconds", "seconds", "Part of every step, by cause.",
                     [](const Estimate& e) { return e.s; }) +
         part_family(ledger, labels, "stash_ledger_part_low_seconds", "seconds", "Lower end of its 95 % interval.",
                     [](const Estimate& e) { return e.low_s; }) +
         part_family(ledger, labels, "stash_ledger_part_high_seconds", "seconds", "Upper end of its 95 % interval.",
                     [](const Estimate& e) { return e.high_s; });
}

}  // namespace

// Absent parts have no sample: there is none for what is unknown.
std::string render_ledger_openmetrics(const Report& report) {
  const Profile& profile = report.profile;
  const Ledger& ledger = report.ledger;
  const std::string labels = job_labels(profile);
  std::string text = info(profile) + step_families(ledger, labels) + part_families(ledger, labels);
  if (report.usd_per_hour && ledger.step.s > 0) {
    text += part_family(ledger, labels, "stash_ledger_part_usd_per_hour", "", "What an hour of training pays for it.",
                        [&](const Estimate& e) { return e.s / ledger.step.s * *report.usd_per_hour; });
  }
  text += communication_openmetrics(ledger, labels);
  text += single("stash_ledger_rounds", "", "Rounds that the figures rest on.", labels, ledger.rounds);
  text += single("stash_ledger_complete", "", "0: the profile ended early.", labels, profile.complete ? 1 : 0);
  return text + "# EOF\n";
}

}  // namespace stash
