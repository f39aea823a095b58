#include "stash/attribute/coverage.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "stash/attribute/attribute.h"
#include "stash/attribute/links.h"
#include "stash/attribute/round_table.h"
#include "stash/attribute/stopping.h"
#include "stash/core/statistics.h"

namespace stash {

namespace {

constexpr double kColdRatio = 0.1;     // of the pages may be cached in a window that passes for cold
constexpr double kStolenRatio = 0.02;  // of the CPU time, from which on figures suffer

bool contains(const std::vector<Condition>& conditions, Condition condition) {
  return std::find(conditions.begin(), conditions.end(), condition) != conditions.end();
}

std::vector<Condition> meaningful_conditions(const Profile& profile) {
  Job job = profile.job;
  job.conditions.clear();
  return present_conditions(job, node_count(profile));
}

Condition adding(Part part) { return kConditions[static_cast<std::size_t>(part)]; }

std::string why_without_meaning(Part part, const Profile& profile) {
  switch (part) {
    case Part::contention:
      return profile.job.ranks == 1 ? "one rank shares nothing" : "no two ranks share a node";
    case Part::interconnect:
      return profile.job.ranks == 1 ? "one rank does not communicate" : "no two ranks share a node";
    case Part::network:
      return "the job runs on one node";
    default:
      return profile.job.device.is_cpu() ? "the CPU needs no copies" : "an emulated accelerator gets no copies";
  }
}

// A script shows what it shows.
std::string why_not_of_script(Part part) {
  switch (part) {
    case Part::prep:
    case Part::copy:
      return "not asked for, or no loader was seen: then its input is inside compute";
    case Part::fetch:
      return "not asked for, or no file of the data was seen";
    default:
      return "not asked for";
  }
}

// A part whose forerunners have a meaning but were not measured holds their time as well.
void warn_of_merged_parts(std::vector<std::string>& warnings, const Profile& profile, const Ledger& ledger) {
  std::vector<std::string_view> skipped;
  bool begun = false;
  for (const Condition condition : meaningful_conditions(profile)) {
    const Part part = part_added_by(condition);
    if (!ledger.step_by_condition.contains(condition)) {
      if (begun) skipped.push_back(to_string(part));
      continue;
    }
    if (!skipped.empty()) {
      warnings.push_back(fmt::format("{} includes {}, because --conditions left those out", to_string(part),
                                     fmt::join(skipped, ", ")));
    }
    skipped.clear();
    begun = true;
  }
}

void warn_of_base(std::vector<std::string>& warnings, const Ledger& ledger) {
  const auto& [base, time] = *ledger.step_by_condition.begin();
  if (base == Condition::solo) return;
  warnings.push_back(
      fmt::format("the chain begins with {} instead of solo: its {:.2f} ms are not taken apart, and the "
                  "parts sum to the step only together with them",
                  to_string(base), time.s * 1e3));
}

void warn_of_rounds(std::vector<std::string>& warnings, const Profile& profile, const Ledger& ledger) {
  if (ledger.rounds < kMinRounds) {
    warnings.push_back(
        fmt::format("only {} rounds were measured; intervals from fewer than {} are rough", ledger.rounds, kMinRounds));
  }
  if (ledger.rounds_left_out > 0) {
    warnings.push_back(
        fmt::format("up to {} of {} rounds were left out of a part: something from outside disturbed them",
                    ledger.rounds_left_out, ledger.rounds + ledger.rounds_left_out));
  }
  if (!narrow_enough(ledger, profile.job.precision_ratio)) {
    const WidestInterval widest = widest_interval(ledger);
    const double target_s = profile.job.precision_ratio * ledger.step.s;
    warnings.push_back(
        fmt::format("precision target missed: {} is known to ±{:.2f} ms, target ±{:.2f} "
                    "ms; profile for longer (--max-time) or on a quieter machine",
                    widest.part ? to_string(*widest.part) : "the step", widest.half_width_s * 1e3, target_s * 1e3));
  }
}

void warn_of_skips(std::vector<std::string>& warnings, const Profile& profile) {
  std::int64_t skipped = 0;
  std::string named;
  for (const InputCounters& counters : profile.inputs) {
    skipped += counters.skipped;
    if (named.empty() && !counters.skipped_files.empty()) named = counters.skipped_files.front();
  }
  if (skipped == 0) return;
  warnings.push_back(fmt::format("{} samples could not be used and were skipped{}; `stash dataset check` lists them",
                                 skipped, named.empty() ? "" : ", among them " + named));
}

// A file system in memory, for one, cannot be cold.
void warn_of_cached_pages(std::vector<std::string>& warnings, const Profile& profile) {
  std::vector<double> ratios;
  for (const Window& window : profile.windows) {
    if (window.condition == Condition::cold && window.resident_ratio) ratios.push_back(*window.resident_ratio);
  }
  if (ratios.empty() || median(ratios) <= kColdRatio) return;
  warnings.push_back(
      fmt::format("{:.0f} % of the pages that cold windows read could not be evicted: fetch is smaller than from "
                  "storage; put the data set on a disk",
                  100 * median(ratios)));
}

void warn_of_stolen_time(std::vector<std::string>& warnings, const Profile& profile) {
  if (profile.stolen_ratio.value_or(0) < kStolenRatio) return;
  warnings.push_back(
      fmt::format("the hypervisor gave {:.0f} % of this machine's CPU time to others meanwhile: intervals are wider "
                  "than they need be, and parts that use the CPU larger; profile again at another time",
                  100 * *profile.stolen_ratio));
}

void warn_of_slow_link(std::vector<std::string>& warnings, const Profile& profile) {
  const std::optional<SlowLink> slow = find_slow_link(profile);
  if (!slow) return;
  warnings.push_back(fmt::format(
      "the link of {} carries {:.2f} Gbit/s where those of the other hosts carry {:.2f}: the whole job is as "
      "slow as it; ask for another host, or for hosts in one placement group",
      slow->host, slow->bytes_per_s * 8e-9, slow->others_bytes_per_s * 8e-9));
}

}  // namespace

std::optional<double> explained_ratio(const Ledger& ledger) {
  if (!(ledger.step.s > 0)) return std::nullopt;
  double sum_s = 0;
  for (const auto& part : ledger.parts) sum_s += part ? part->s : 0;
  return sum_s / ledger.step.s;
}

std::string why_absent(Part part, const Profile& profile) {
  const Condition condition = adding(part);
  if (!contains(meaningful_conditions(profile), condition)) return why_without_meaning(part, profile);
  if (!profile.job.conditions.empty() && !contains(profile.job.conditions, condition)) {
    if (!profile.job.command.empty()) return why_not_of_script(part);
    return fmt::format("--conditions left out {}", to_string(condition));
  }
  const bool measured = std::any_of(profile.windows.begin(), profile.windows.end(),
                                    [&](const Window& window) { return window.condition == condition; });
  if (measured)
    return fmt::format("{} is the first condition measured, so it has nothing to be compared with",
                       to_string(condition));
  return fmt::format("no window of {} was measured", to_string(condition));
}

std::vector<std::string> ledger_warnings(const Profile& profile, const Ledger& ledger) {
  std::vector<std::string> warnings;
  if (ledger.step_by_condition.empty()) return warnings;
  warn_of_base(warnings, ledger);
  warn_of_merged_parts(warnings, profile, ledger);
  warn_of_rounds(warnings, profile, ledger);
  warn_of_skips(warnings, profile);
  warn_of_cached_pages(warnings, profile);
  warn_of_stolen_time(warnings, profile);
  warn_of_slow_link(warnings, profile);
  return warnings;
}

}  // namespace stash
