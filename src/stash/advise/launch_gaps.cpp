#include "stash/advise/launch_gaps.h"

#include <fmt/format.h>

#include <algorithm>

#include "stash/attribute/steady_fetch.h"
#include "stash/core/units.h"

namespace stash {
namespace {

// Fused kernels are fewer and a graph launches all of them at once; what is left depends on the script.
constexpr double kSavedRatio = 0.75;
constexpr double kLeastRatio = 0.5;

double kernels_s(const ScriptWork& work) {
  double gaps_s = 0;
  for (const WorkRow& row : work.rows) gaps_s += row.kind == WorkClass::gap ? row.s : 0;
  return work.step_s - gaps_s;
}

}  // namespace

std::optional<FirstStep> about_launch_gaps(const JobFacts& facts) {
  const std::optional<ScriptWork>& work = facts.profile.work;
  const std::optional<Estimate>& compute = facts.ledger[Part::compute];
  if (!work || !work->on_gpu || work->compiled || !compute) return std::nullopt;
  const double busy_s = kernels_s(*work), gaps_s = compute->s - busy_s;
  const double of_s = steady_step_s(facts.ledger);
  // The profiler lengthens gaps and leaves kernels alone, so that they are compared with steps that it did not see.
  if (!(gaps_s * kLeastRatio >= kWorthRatio * of_s) || compute->low_s <= busy_s) return std::nullopt;
  return FirstStep{.part = Part::compute,
                   .action = "compile the model, so that its GPU waits for fewer launches",
                   .how = "model = torch.compile(model, mode=\"reduce-overhead\")",
                   .because = fmt::format("a step takes {} alone, and its kernels {}", format_duration(compute->s),
                                          format_duration(busy_s)),
                   .saved = {gaps_s * kSavedRatio, (compute->low_s - busy_s) * kLeastRatio, compute->high_s - busy_s},
                   .of_s = of_s};
}

}  // namespace stash
