#include "stash/advise/simulated_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "stash/advise/group_steps.h"
#include "stash/advise/other_machine.h"
#include "stash/catalog/gpu.h"
#include "stash/core/error.h"
#include "stash/core/units.h"
#include "stash/models/memory.h"
#include "stash/predict/simulate.h"
#include "stash/predict/worth.h"

namespace stash {
namespace {

// A simulated stall that is this factor smaller or larger than the measured one has another cause.
constexpr double kFoundAgainRatio = 2;
// Workers that leave no more than this of what all cores could save are enough.
constexpr double kLeftRatio = 0.02;
constexpr std::array kBucketFactors{0.25, 0.5, 2.0, 4.0, 8.0};
constexpr std::int64_t kMiB = 1 << 20;
constexpr std::int64_t kMostPrefetch = 1 << 10;
// A queue without room is simulated sample by sample; of more samples than this that takes longer than a report may.
constexpr std::int64_t kMostSamples = 1 << 12;

bool is_quick(const PredictJob& job, const Cluster& cluster) {
  const std::int64_t samples = std::int64_t{job.batch} * cluster.ranks_per_node;
  return !job.sample || job.prefetch > 1 || samples <= kMostSamples;
}

void halve_gradients(Setting& setting) {
  for (StepLayer& layer : setting.step.layers) layer.gradient_bytes /= 2;
  for (std::int64_t& bytes : setting.step.buckets) bytes /= 2;
  setting.step.first_bucket_bytes /= 2;
  setting.step.bucket_bytes /= 2;
}

void set_bucket(Setting& setting, std::int64_t bytes) {
  setting.step.buckets.clear();
  setting.step.bucket_bytes = bytes;
}

// Layers take twice as long; that a GPU may be better used by a larger batch is left out.
void double_batch(Setting& setting) {
  setting.step.batch *= 2;
  for (StepLayer& layer : setting.step.layers) {
    layer.forward_s *= 2;
    layer.backward_s *= 2;
  }
}

}  // namespace

std::optional<SimulatedSteps> SimulatedSteps::of(const JobFacts& facts) {
  try {
    // Links of a script are only known where they were injected; measured_steps does without.
    if (facts.is_script && !facts.profile.job.inject.link_bytes_per_s) return std::nullopt;
    PredictJob job = job_of_profile(facts.profile, facts.ledger);
    if (job.groups || job.profile->gpu == nullptr) return std::nullopt;
    SimulatedSteps steps(facts, std::move(job));
    if (!is_quick(steps.job_, steps.here_.described.cluster)) return std::nullopt;
    simulate_ledger(steps.here_.step, steps.here_.described.cluster);
    return steps;
  } catch (const Error&) {  // says what is missing in the profile, which only a prediction needs
    return std::nullopt;
  }
}

SimulatedSteps::SimulatedSteps(const JobFacts& facts, PredictJob job)
    : facts_(&facts), job_(std::move(job)), here_(Predictor(job_).setting_here()) {}

double SimulatedSteps::step_s(const Setting& setting, const Stall& stall) const {
  if (stall.first_epoch) return simulate_step_s(setting.step, setting.described.cluster, Condition::cold);
  return simulate_steady_s(setting, job_);
}

double SimulatedSteps::simulated_s(const Stall& stall) const {
  const Ledger ledger = simulate_ledger(here_.step, here_.described.cluster);
  if (!ledger[stall.part]) return 0;
  if (stall.part != Part::fetch) return ledger[stall.part]->s;
  return step_s(here_, stall) - ledger.step_by_condition.at(Condition::hot).s;
}

// What was saved of the simulated stall, for the measured one: never more than all of it, nor better known.
Estimate SimulatedSteps::of_measured(const Stall& stall, const Estimate& saved) const {
  const double ratio = stall.time.s / simulated_s(stall);
  const double s = std::min(saved.s * ratio, stall.time.s);
  return {s, std::min({saved.low_s * ratio, stall.time.low_s, s}),
          std::max(s, std::min(saved.high_s * ratio, stall.time.high_s))};
}

// With each figure at both its ends, before and after the change; and the stall's own interval.
Estimate SimulatedSteps::saving(const Stall& stall, const Apply& apply, int samples_ratio) const {
  const auto saved_s = [&](Setting setting) {
    const double before_s = step_s(setting, stall);
    apply(setting);
    return before_s - step_s(setting, stall) / samples_ratio;
  };
  const double s = saved_s(here_);
  Spread spread;
  vary(here_.step, here_.described.cluster, here_.uncertainty, [&](const StepJob& step, const Cluster& cluster) {
    Setting varied = here_;
    varied.step = step;
    varied.described.cluster = cluster;
    spread.add(saved_s(std::move(varied)) - s);
  });
  spread.add(s * (stall.time.low_s / stall.time.s - 1));
  spread.add(s * (stall.time.high_s / stall.time.s - 1));
  return of_measured(stall, spread.around(s));
}

// The fewest that save what all cores would.
void SimulatedSteps::add_workers(const Stall& stall, std::vector<FirstStep>& steps) const {
  const int now = here_.step.input->workers, most = facts_->most_workers;
  if (most <= now) return;
  const auto with = [](int workers) { return [=](Setting& setting) { setting.step.input->workers = workers; }; };
  const auto with_s = [&](int workers) {
    Setting setting = here_;
    with(workers)(setting);
    return step_s(setting, stall);
  };
  const double enough_s = with_s(most) + kLeftRatio * (step_s(here_, stall) - with_s(most));
  int too_few = now, enough = most;
  while (enough - too_few > 1) {
    const int middle = (too_few + enough) / 2;
    (with_s(middle) <= enough_s ? enough : too_few) = middle;
  }
  steps.push_back(more_workers(*facts_, stall, enough));
  steps.back().saved = saving(stall, with(enough));
}

void SimulatedSteps::add_storage(const Stall& stall, std::vector<FirstStep>& steps) const {
  if (const std::optional<StorageNeed> need = storage_need(*facts_, stall)) {
    steps.push_back(faster_storage(*facts_, stall, need->bytes_per_s));
    steps.back().saved = saving(stall, [&](Setting& setting) {
      Cluster& cluster = setting.described.cluster;
      const double each = need->bytes_per_s / (cluster.storage_per_rank ? cluster.ranks_per_node : 1);
      cluster.storage_bytes_per_s = std::max(cluster.storage_bytes_per_s, each);
    });
  }
  if (stall.first_epoch || !here_.described.cache_bytes) return;
  const std::optional<InputNeeds> needs = input_needs(here_, job_);
  const double cache_bytes = needs ? needs->cache_bytes.value_or(0) : 0;
  if (cache_bytes <= *here_.described.cache_bytes) return;
  steps.push_back(larger_cache(*facts_, stall, cache_bytes));
  steps.back().saved = saving(stall, [&](Setting& setting) { setting.described.cache_bytes = cache_bytes; });
}

void SimulatedSteps::add_bucket(const Stall& stall, std::vector<FirstStep>& steps) const {
  const auto now = static_cast<double>(here_.step.bucket_bytes);
  const auto rounded = [&](double factor) {
    return std::max<std::int64_t>(1, static_cast<std::int64_t>(now * factor) / kMiB) * kMiB;
  };
  std::int64_t best = 0;
  double best_s = step_s(here_, stall);
  for (const double factor : kBucketFactors) {
    Setting setting = here_;
    set_bucket(setting, rounded(factor));
    const double s = step_s(setting, stall);
    if (s < best_s) best = rounded(factor), best_s = s;
  }
  if (best == 0) return;
  Setting changed = here_;
  set_bucket(changed, best);
  const std::int64_t mib = best / kMiB;
  FirstStep step{.part = stall.part,
                 .action = fmt::format("let a gradient bucket hold {} MiB instead of {:g}", mib, now / kMiB),
                 .how = fmt::format("{}DistributedDataParallel(bucket_cap_mb={})",
                                    facts_->is_script ? "" : fmt::format("--bucket {}MiB; ", mib), mib),
                 .because = fmt::format("gradients then go out in {} buckets instead of {}",
                                        shape_of(changed.step).buckets.size(), shape_of(here_.step).buckets.size()),
                 .of_s = stall.step_s};
  step.fix = fix_variant({.kind = FixKind::bucket, .value = best});
  step.saved = saving(stall, [&](Setting& setting) { set_bucket(setting, best); });
  steps.push_back(std::move(step));
}

// Gloo sums fp16 on the CPU, which takes as long as it saves.
void SimulatedSteps::add_compression(const Stall& stall, std::vector<FirstStep>& steps) const {
  const bool has_bf16 = job_.profile->gpu->bf16_ops_per_s && takes_bf16_hook(*facts_);
  const bool on_gloo = facts_->profile.job.device.is_cuda() && facts_->profile.job.backend == "gloo";
  if (!has_bf16 && on_gloo) return;
  steps.push_back(compressed_gradients(stall, has_bf16));
  // An emulated GPU has no values to convert: half the bytes are half the bytes.
  if (facts_->profile.job.device.is_emulated()) steps.back().fix = fix_variant({.kind = FixKind::half_gradients});
  steps.back().saved = saving(stall, halve_gradients);
}

bool SimulatedSteps::doubled_batch_fits() const {
  const std::vector<GpuInfo>& gpus = facts_->profile.machine.gpus;
  const bool is_real = facts_->profile.job.device.is_cuda() && !gpus.empty();
  const std::int64_t there = is_real ? gpus.front().memory_bytes.value_or(0) : job_.profile->gpu->memory_bytes;
  return training_bytes(job_.graph, 2 * job_.batch, element_bytes(job_.dtype)) <= static_cast<double>(there);
}

void SimulatedSteps::add_batch(const Stall& stall, std::vector<FirstStep>& steps) const {
  if (!doubled_batch_fits()) {
    steps.push_back(accumulated_gradients(stall));
    steps.back().saved = saving(stall, [](Setting& setting) { setting.step.accumulation *= 2; }, 2);
    return;
  }
  const double bytes = training_bytes(job_.graph, 2 * job_.batch, element_bytes(job_.dtype));
  steps.push_back({.part = stall.part,
                   .action = fmt::format("give each rank batches of {} instead of {}", 2 * job_.batch, job_.batch),
                   .how = larger_batch(*facts_, 2 * job_.batch),
                   .because = fmt::format("gradients go out once for twice the samples, and about {} of GPU memory are "
                                          "enough; an update sees twice the samples",
                                          format_bytes(bytes)),
                   .effort = Effort::training,
                   .of_s = stall.step_s});
  steps.back().saved = saving(stall, double_batch, 2);
}

void SimulatedSteps::add_machine(const Stall& stall, std::span<const Instance> instances,
                                 std::vector<FirstStep>& steps) const {
  const StepTimer step_on = [&](const Setting& setting) { return step_s(setting, stall); };
  std::optional<FirstStep> found = on_another_machine(*facts_, stall, job_, here_, step_on, instances);
  if (!found) return;
  found->saved = of_measured(stall, found->saved);
  steps.push_back(std::move(*found));
}

std::optional<double> SimulatedSteps::saved_by(const Fix& fix, Condition condition) const {
  Setting changed = here_;
  if (fix.kind == FixKind::half_gradients) {
    halve_gradients(changed);
  } else if (fix.kind == FixKind::bucket) {
    set_bucket(changed, fix.value);
  } else if (fix.kind == FixKind::workers && changed.step.input) {
    changed.step.input->workers = static_cast<int>(std::clamp<std::int64_t>(fix.value, 1, kMostWorkersPerRank));
  } else if (fix.kind == FixKind::prefetch && changed.step.input) {
    changed.step.input->prefetch = static_cast<int>(std::clamp<std::int64_t>(fix.value, 1, kMostPrefetch));
  } else {
    return std::nullopt;
  }
  const Ledger before = simulate_ledger(here_.step, here_.described.cluster);
  const Ledger after = simulate_ledger(changed.step, changed.described.cluster);
  if (!before.step_by_condition.contains(condition)) return std::nullopt;
  const double saved_s = before.step_by_condition.at(condition).s - after.step_by_condition.at(condition).s;
  double simulated_s = 0, measured_s = 0;
  for (const Part part : kParts) {
    const bool of_input = part == Part::prep || (part == Part::fetch && condition == Condition::cold);
    const bool of_sums = part == Part::interconnect || part == Part::network;
    if (changes_input(fix.kind) ? !of_input : !of_sums) continue;
    if (before[part]) simulated_s += before[part]->s;
    if (facts_->ledger[part]) measured_s += facts_->ledger[part]->s;
  }
  // Of a stall that hardly is one, the ratio of both says nothing.
  if (std::max(simulated_s, measured_s) < kWorthRatio * facts_->ledger.step.s) return saved_s;
  const bool is_found_again =
      simulated_s * kFoundAgainRatio >= measured_s && simulated_s <= kFoundAgainRatio * measured_s;
  if (!is_found_again) return std::nullopt;
  const auto whole = facts_->ledger.step_by_condition.find(condition);
  if (!changes_input(fix.kind) || whole == facts_->ledger.step_by_condition.end()) {
    return saved_s * measured_s / simulated_s;
  }
  // A step that waits for its input takes as long as the input, whatever the rest takes; it takes the rest at least.
  const double ratio = whole->second.s / before.step_by_condition.at(condition).s;
  const double after_s = ratio * after.step_by_condition.at(condition).s;
  return whole->second.s - std::max(after_s, whole->second.s - measured_s);
}

std::optional<std::vector<FirstStep>> SimulatedSteps::against(const Stall& stall, std::span<const Instance> instances) {
  const bool is_simulated = stall.part != Part::contention && stall.part != Part::copy;
  const double found_ratio = simulated_s(stall) / stall.time.s;
  const bool is_found_again = found_ratio * kFoundAgainRatio >= 1 && found_ratio <= kFoundAgainRatio;
  if (!is_simulated || !is_found_again) return std::nullopt;
  std::vector<FirstStep> steps;
  if (stall.part == Part::prep) add_workers(stall, steps);
  if (stall.part == Part::fetch) {
    add_workers(stall, steps);
    add_storage(stall, steps);
  }
  const bool is_communication = stall.part == Part::interconnect || stall.part == Part::network;
  if (is_communication && sums_like_ddp(*facts_)) {
    add_bucket(stall, steps);
    add_compression(stall, steps);
    add_batch(stall, steps);
  }
  add_machine(stall, instances, steps);
  return steps;
}

}  // namespace stash
