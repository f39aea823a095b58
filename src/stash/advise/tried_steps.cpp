#include "stash/advise/tried_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "stash/advise/group_steps.h"
#include "stash/attribute/variants.h"
#include "stash/core/units.h"

namespace stash {
namespace {

constexpr std::int64_t kMiB = 1 << 20;

struct Words {
  std::string action, how;
};

Words about_sums(const Fix& fix, const JobFacts& facts) {
  if (fix.kind == FixKind::half_gradients) {
    return {"send gradients as bf16 instead of fp32",
            takes_bf16_hook(facts) ? "model.register_comm_hook(None, default_hooks.bf16_compress_hook)"
                                   : "model.register_comm_hook(None, hook) with the bf16 hook of docs/scripts.md"};
  }
  const std::int64_t mib = fix.value / kMiB;
  const std::string now =
      facts.is_script ? ""
                      : fmt::format(" instead of {:g}", static_cast<double>(facts.profile.job.bucket_bytes) / kMiB);
  return {fmt::format("let a gradient bucket hold {} MiB{}", mib, now),
          fmt::format("{}DistributedDataParallel(bucket_cap_mb={})",
                      facts.is_script ? "" : fmt::format("--bucket {}MiB; ", mib), mib)};
}

Words words_of(const Fix& fix, const JobFacts& facts) {
  const Job& job = facts.profile.job;
  switch (fix.kind) {
    case FixKind::half_gradients:
    case FixKind::bucket:
      return about_sums(fix, facts);
    case FixKind::workers:
      return {fmt::format("give each rank {} input workers instead of {}", fix.value, job.workers),
              workers_setting(facts, static_cast<int>(fix.value))};
    case FixKind::prefetch:
      return facts.is_script ? Words{fmt::format("let each worker have {} batches ready", fix.value),
                                     fmt::format("DataLoader(prefetch_factor={})", fix.value)}
                             : Words{fmt::format("let {} batches be ready before they are used instead of {}",
                                                 fix.value, job.prefetch),
                                     fmt::format("--prefetch {}", fix.value)};
    case FixKind::pinned:
      return {"put batches into pinned memory", "DataLoader(pin_memory=True)"};
    case FixKind::no_delay:
      return {fmt::format("take away the injected delay of rank {}", fix.value),
              fmt::format("--inject without rank{}", fix.value)};
  }
  return {};
}

// What the group costs that a step waits for.
double exposed_s(const Fix& fix, const JobFacts& facts) {
  for (const GroupTime& line : facts.ledger.communication) {
    if (line.name == fix.group && line.exposed) return std::max(0.0, line.exposed->s);
  }
  double sum = 0;
  for (const Part part : {Part::interconnect, Part::network}) {
    if (facts.ledger[part]) sum += std::max(0.0, facts.ledger[part]->s);
  }
  return sum;
}

// The input takes as many times as long as workers are fewer; what is left of it then is what the step waits.
std::optional<double> saved_by_workers(const Fix& fix, const JobFacts& facts, Condition condition) {
  const Job& job = facts.profile.job;
  const auto hot = facts.ledger.step_by_condition.find(Condition::hot);
  const std::optional<Estimate>& prep = facts.ledger[Part::prep];
  if (condition != Condition::hot || hot == facts.ledger.step_by_condition.end() || !prep || job.workers < 1) {
    return std::nullopt;
  }
  const bool waits = prep->low_s > 0;
  if (!waits) return fix.value > job.workers ? std::optional(0.0) : std::nullopt;
  const double before_s = hot->second.s - prep->s;
  const double input_s = hot->second.s * job.workers / static_cast<double>(std::max<std::int64_t>(1, fix.value));
  return prep->s - std::max(0.0, input_s - before_s);
}

std::optional<double> predicted_s(const Fix& fix, const JobFacts& facts, Condition condition,
                                  const SimulatedSteps* simulated) {
  if (fix.kind == FixKind::no_delay) {
    const std::optional<LateRank>& late = facts.ledger.late_rank;
    return late && late->rank == fix.value ? std::optional(late->s) : std::nullopt;
  }
  if (simulated != nullptr) return simulated->saved_by(fix, condition);
  if (fix.kind == FixKind::half_gradients) {
    return uses_input(condition) && input_limits(facts.ledger, false) ? 0 : exposed_s(fix, facts) / 2;
  }
  return fix.kind == FixKind::workers ? saved_by_workers(fix, facts, condition) : std::nullopt;
}

// The ledger's part that gets smaller.
Part part_of(const TriedStep& tried) {
  const std::optional<Fix> fix = fix_of(tried.fix);
  if (!fix) return Part::compute;
  if (changes_input(fix->kind)) return tried.condition == Condition::cold ? Part::fetch : Part::prep;
  return changes_sums(fix->kind) ? Part::interconnect : Part::contention;
}

std::string why_not_switched(const FirstStep& step) {
  if (!step.fix.empty()) return "another value was tried";
  switch (step.effort) {
    case Effort::setting:
      return "the script has to build its objects anew for it";
    case Effort::training:
      return "it would be another training";
    case Effort::hardware:
    case Effort::machine:
      return "it needs other hardware";
  }
  return "";
}

// How many times as wide a 99 % interval is as one of 95 %, from so many rounds: Student's t.
double surer_ratio(int rounds) {
  constexpr std::array kRatios{5.01, 2.31, 1.84, 1.66, 1.57, 1.52, 1.48};  // from 2 rounds on
  const std::size_t at = static_cast<std::size_t>(std::max(rounds, 2)) - 2;
  return at < kRatios.size() ? kRatios[at] : kRatios.back();
}

}  // namespace

// Of the many fixes that are tried some seem to help by chance: one that nothing predicted must be certain to 99 %.
bool TriedStep::helps() const {
  if (measured.s < kWorthRatio * of_s) return false;
  const bool is_expected = predicted_s.value_or(0) >= kWorthRatio * of_s;
  return measured.s > (is_expected ? 1 : surer_ratio(rounds)) * (measured.s - measured.low_s);
}

std::vector<TriedStep> tried_steps(const JobFacts& facts, const SimulatedSteps* simulated) {
  std::vector<TriedStep> steps;
  if (facts.profile.tried.empty()) return steps;
  for (const VariantSaving& saving : variant_savings(facts.profile)) {
    const std::optional<Fix> fix = fix_of(saving.variant.name);
    const auto plain = facts.ledger.step_by_condition.find(saving.variant.condition);
    if (!fix || plain == facts.ledger.step_by_condition.end()) continue;
    Words words = words_of(*fix, facts);
    steps.push_back({.fix = saving.variant.name,
                     .condition = saving.variant.condition,
                     .action = std::move(words.action),
                     .how = std::move(words.how),
                     .predicted_s = predicted_s(*fix, facts, saving.variant.condition, simulated),
                     .measured = saving.saved,
                     .rounds = saving.rounds,
                     .of_s = plain->second.s});
  }
  return steps;
}

void take_measured(std::vector<FirstStep>& steps, const std::vector<TriedStep>& tried, double step_s) {
  for (const TriedStep& one : tried) {
    const bool first_epoch = one.condition == Condition::cold;
    const auto same = std::ranges::find_if(steps, [&](const FirstStep& step) {
      return step.fix == one.fix && (step.first_epoch || step.part == Part::fetch) == first_epoch;
    });
    if (same != steps.end()) {
      same->measured = one.measured;
    } else if (one.helps()) {
      steps.push_back(
          {.part = part_of(one),
           .action = one.action,
           .how = one.how,
           .because = fmt::format("that is what {} rounds with it and without it measured", one.rounds),
           .saved = one.predicted_s ? Estimate{*one.predicted_s, *one.predicted_s, *one.predicted_s} : one.measured,
           .of_s = first_epoch ? one.of_s : step_s,
           .first_epoch = first_epoch,
           .fix = one.fix,
           .measured = one.measured,
           .is_predicted = one.predicted_s.has_value()});
    }
  }
  std::erase_if(steps, [&](const FirstStep& step) {
    return step.measured && !(step.measured->low_s > 0 && step.measured->s >= kWorthRatio * step.of_s);
  });
}

Tries tries_of(const Profile& profile, const Ledger& ledger, std::span<const FirstStep> first_steps) {
  Tries tries;
  if (profile.tried.empty()) return tries;
  tries.asked = true;
  const JobFacts facts(profile, ledger);
  const std::optional<SimulatedSteps> simulated = SimulatedSteps::of(facts);
  tries.tried = tried_steps(facts, simulated ? &*simulated : nullptr);
  for (const TriedFix& row : profile.tried) {
    const std::optional<Fix> fix = fix_of(row.fix);
    if (!fix) continue;
    const bool was_measured = std::ranges::find(tries.tried, row.fix, &TriedStep::fix) != tries.tried.end();
    if (row.left_out.empty() && was_measured) continue;
    tries.not_tried.push_back({words_of(*fix, facts).action,
                               row.left_out.empty() ? "the profile ended before two rounds had it" : row.left_out});
  }
  for (const FirstStep& step : first_steps) {
    if (!step.measured) tries.not_tried.push_back({step.action, why_not_switched(step)});
  }
  return tries;
}

}  // namespace stash
