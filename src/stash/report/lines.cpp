#include "stash/report/lines.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <iterator>

#include "stash/attribute/attribute.h"
#include "stash/attribute/coverage.h"
#include "stash/attribute/round_table.h"
#include "stash/catalog/loader.h"
#include "stash/core/price.h"
#include "stash/core/units.h"
#include "stash/report/printable.h"
#include "stash/report/table.h"
#include "stash/report/verdict.h"

namespace stash {

namespace {

std::string plural(int count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string stop_reason(const Profile& profile) {
  switch (profile.stopped_by) {
    case StoppedBy::precision:
      return fmt::format("every interval is within ±{:g} % of the step", profile.job.precision_ratio * 100);
    case StoppedBy::time:
      if (profile.job.rounds > 0 && count_complete_rounds(profile) >= profile.job.rounds)
        return "the requested number of rounds was reached";
      return fmt::format("the time limit of {} was reached", format_duration(profile.job.max_time_s));
    case StoppedBy::interrupted:
      return "it was interrupted";
    case StoppedBy::fault:
      return "a fault ended it";
  }
  return "";
}

// " (nccl, bf16)": what is unknown is not said.
std::string known_of(std::initializer_list<std::string_view> facts) {
  std::vector<std::string_view> known;
  std::ranges::copy_if(facts, std::back_inserter(known), [](std::string_view fact) { return !fact.empty(); });
  return known.empty() ? "" : fmt::format(" ({})", fmt::join(known, ", "));
}

// That most operations of the recorded steps were computed in.
std::string product_dtype(const Profile& profile) {
  if (!profile.work) return "";
  const auto more = [](const WorkRow& a, const WorkRow& b) { return a.operations < b.operations; };
  const auto most = std::ranges::max_element(profile.work->rows, more);
  return most == profile.work->rows.end() || most->operations <= 0 ? "" : most->dtype;
}

}  // namespace

std::string job_line(const Profile& profile) {
  const Job& job = profile.job;
  const std::string emulated = emulated_name(job);
  std::string line = job_name(job);
  if (job.batch > 0) line += fmt::format(", batch {} per rank", job.batch);
  line += fmt::format(", {} on {}", plural(job.ranks, "rank"), emulated.empty() ? job.device.text() : emulated);
  line += known_of({job.backend, job.dtype});
  if (const int nodes = node_count(profile); nodes > 1) line += fmt::format(", {} nodes", nodes);
  if (!profile.machine.cpu.empty()) {
    line += fmt::format("; {} with {} of {}", profile.machine.hostname, plural(profile.machine.cores, "core"),
                        profile.machine.cpu);
  }
  for (const GpuInfo& gpu : profile.machine.gpus) line += fmt::format(", {}", gpu.name);
  return line;
}

std::string script_line(const Profile& profile) {
  if (!profile.script) return "";
  const ScriptFacts& facts = *profile.script;
  std::vector<std::string> said{fmt::format("{} parameters", format_count(facts.parameters))};
  if (!facts.stored_as.empty()) said.back() += fmt::format(" in {}", fmt::join(facts.stored_as, " and "));
  if (!facts.autocast.empty()) said.push_back(fmt::format("autocast to {}", fmt::join(facts.autocast, " and ")));
  said.insert(said.end(), facts.optimizers.begin(), facts.optimizers.end());
  for (const std::string& wrapper : facts.wrappers) said.push_back(wrapper == "compile" ? "compiled" : wrapper);
  if (profile.work && profile.work->passes > 1) {
    said.push_back(fmt::format("{} passes per step", profile.work->passes));
  }
  if (const std::string dtype = product_dtype(profile); !dtype.empty()) {
    said.push_back(fmt::format("matrix products in {}", dtype));
  }
  if (!facts.input.empty()) said.push_back(fmt::format("batches from {}", facts.input));
  if (facts.peak_memory_bytes) {
    said.push_back(
        fmt::format("{} of memory at its peak", format_bytes(static_cast<double>(*facts.peak_memory_bytes))));
  }
  return fmt::format("seen in the script: {}", fmt::join(said, ", "));
}

std::string work_line(const Profile& profile) {
  if (!profile.work || profile.work->rows.empty()) return "";
  const ScriptWork& work = *profile.work;
  std::vector<std::string> said;
  double all_s = 0;
  for (const WorkRow& row : work.rows) all_s += row.s;
  for (const WorkClass kind : kWorkClasses) {
    double s = 0, operations = 0;
    for (const WorkRow& row : work.rows) {
      if (row.kind == kind) s += row.s, operations += row.operations;
    }
    if (s <= 0 || all_s <= 0) continue;
    said.push_back(fmt::format("{} {:.0f} %", to_string(kind), 100 * s / all_s));
    if (operations > 0) said.back() += fmt::format(" ({:.3g} GFLOP)", operations / 1e9);
  }
  return fmt::format("work of a step, in {} recorded step{} of rank 0 of {}: {}", work.steps,
                     work.steps == 1 ? "" : "s", format_duration(work.step_s), fmt::join(said, ", "));
}

std::string loader_line(const Profile& profile, const Ledger& ledger) {
  const Job& job = profile.job;
  if (!ledger[Part::prep] || !job.command.empty() || job.image_size == 0) return "";
  const auto known = std::ranges::find(loader_table(), job.loader, &Loader::name);
  return fmt::format("prep assumes {}", known == loader_table().end() ? job.loader : describe(*known));
}

std::string incomplete_line(const Profile& profile) {
  if (profile.complete) return "";
  return fmt::format("INCOMPLETE: the profile ended early ({}); what follows rests on what was measured until then\n",
                     to_string(profile.stopped_by));
}

std::string late_rank_line(const Profile& profile, const Ledger& ledger) {
  if (profile.job.ranks < 2) return "";
  if (!ledger.late_rank) return "late rank: none\n";
  const LateRank& late = *ledger.late_rank;
  const std::string on = profile.places.empty() ? "" : " on " + printable(host_of(profile, late.rank));
  return fmt::format(
      "late rank: {}{} is {} per step behind the median of the other ranks, first under {}; cause: its {}\n", late.rank,
      on, format_duration(late.s), to_string(late.condition), to_string(late.cause));
}

std::string emulated_line(std::string_view what_was, const Job& job) {
  const std::string name = emulated_name(job);
  if (name.empty()) return "";
  return fmt::format(
      "{} measured with an {}: compute takes the time that such a GPU would take; collectives, input and storage are "
      "real.",
      what_was, name);
}

std::string stopped_line(const Profile& profile, const Ledger& ledger) {
  return fmt::format("sampling stopped after {} ({}): {}\n", plural(ledger.rounds + ledger.rounds_left_out, "round"),
                     format_duration(profile.elapsed_s), stop_reason(profile));
}

std::string saved_text(const FirstStep& step, const Ledger& ledger, std::optional<double> usd_per_h) {
  const char* const epochs = step.first_epoch ? " in the first epoch" : ledger.steady_fetch ? " in later epochs" : "";
  const double ratio = step.saved_ratio();
  const std::string price = usd_per_h ? fmt::format(", {} per hour", format_price(*usd_per_h * ratio)) : "";
  if (step.measured) {
    const std::string predicted =
        step.is_predicted ? fmt::format("{} ms (predicted), ", milliseconds(step.saved.s, ledger)) : "";
    return fmt::format("{}{} ± {} ms (measured) of {} per step{}, {:.0f} %{}", predicted,
                       milliseconds(step.measured->s, ledger), milliseconds(half_width_s(*step.measured), ledger),
                       milliseconds(step.of_s, ledger), epochs, 100 * ratio, price);
  }
  return fmt::format("about {} ms ({} to {}) of {} per step{}, {:.0f} %{}", milliseconds(step.saved.s, ledger),
                     milliseconds(step.saved.low_s, ledger), milliseconds(step.saved.high_s, ledger),
                     milliseconds(step.of_s, ledger), epochs, 100 * ratio, price);
}

std::string tried_text(const TriedStep& step, const Ledger& ledger) {
  const std::string measured = fmt::format("{} ± {} ms", milliseconds(std::abs(step.measured.s), ledger),
                                           milliseconds(half_width_s(step.measured), ledger));
  const std::string epoch = step.condition == Condition::cold ? " in the first epoch" : "";
  const std::string predicted =
      step.predicted_s ? fmt::format("; {} ms predicted", milliseconds(*step.predicted_s, ledger)) : "";
  if (step.helps()) return fmt::format("saves {}{}{}", measured, epoch, predicted);
  if (step.is_worse()) return fmt::format("makes the step {} longer{}{}", measured, epoch, predicted);
  return fmt::format("does not help{} ({} ± {} ms{})", epoch, milliseconds(step.measured.s, ledger),
                     milliseconds(half_width_s(step.measured), ledger), predicted);
}

std::vector<std::string> warnings_shown(const Profile& profile, const Ledger& ledger) {
  std::vector<std::string> warnings = ledger_warnings(profile, ledger);
  warnings.insert(warnings.end(), profile.warnings.begin(), profile.warnings.end());
  const std::size_t all = warnings.size();
  warnings.resize(std::min(all, kMostWarnings));
  for (std::string& warning : warnings) warning = fmt::format("warning: {}", warning);
  if (all > kMostWarnings) warnings.push_back(fmt::format("and {} warnings more", all - kMostWarnings));
  return warnings;
}

}  // namespace stash
