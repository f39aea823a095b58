#include "stash/attribute/schedule.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "stash/core/fix.h"

namespace stash {
namespace {

constexpr double kEdgeRatio = 0.005;  // of a window, at most, for its two edges
constexpr double kWindow_s = 0.2;     // several scheduler ticks and sleeps, so that a window averages them
constexpr double kPilot_s = 0.3;      // enough to know a step's time to a tenth
constexpr int kPilotSteps = 20;
constexpr double kVariantsRatio = 0.5;  // of the conditions' time, for variants
constexpr double kMostVariants = 1000;
constexpr std::int64_t kMostQueue = 1 << 16;
constexpr int kStepsBeyondQueue = 2;  // of an input window, beyond what the queue can hold

std::uint64_t next_random(std::uint64_t& state) {  // splitmix64: the same on every platform
  state += 0x9E3779B97F4A7C15ull;
  std::uint64_t z = state;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return z ^ (z >> 31);
}

}  // namespace

Job as_changed(const Job& job, const Variant& variant) {
  const std::optional<Fix> fix = fix_of(variant.name);
  Job changed = job;
  if (!fix) return changed;
  const bool is_script = !job.command.empty();
  const auto value = static_cast<int>(std::min<std::int64_t>(fix->value, kMostQueue));
  if (fix->kind == FixKind::prefetch) changed.prefetch = is_script ? 2 * job.prefetch : value;
  // Of torch's loader each worker has as many batches ahead.
  const bool grows = fix->kind == FixKind::workers && is_script && job.workers > 0 && value > job.workers;
  if (grows) changed.prefetch = (job.prefetch * value + job.workers - 1) / job.workers;
  return changed;
}

int lead_in_steps(const Job& job, Condition condition) { return uses_input(condition) ? job.prefetch + 1 : 1; }

int pilot_steps(double step_s) {
  return std::clamp(static_cast<int>(std::ceil(kPilot_s / std::max(step_s, 1e-6))), 1, kPilotSteps);
}

int fewest_window_steps(const Job& job, Condition condition) {
  return uses_input(condition) ? job.prefetch + kStepsBeyondQueue : 1;
}

int window_steps(const Job& job, Condition condition, double step_s, double edge_s) {
  const double window_s = std::max(kWindow_s, edge_s / kEdgeRatio);
  const int steps = static_cast<int>(std::ceil(window_s / std::max(step_s, 1e-6)));
  return std::max(steps, fewest_window_steps(job, condition));
}

std::size_t variants_in_round(double conditions_s, double variant_s, std::size_t variants) {
  const double fitting = std::floor(kVariantsRatio * conditions_s / std::max(variant_s, 1e-6));
  return std::min(variants, static_cast<std::size_t>(std::clamp(fitting, 1.0, kMostVariants)));
}

std::vector<std::size_t> round_order(std::size_t count, std::uint64_t seed, int round) {
  std::vector<std::size_t> places(count);
  std::iota(places.begin(), places.end(), std::size_t{0});
  std::uint64_t state = seed * 0x2545F4914F6CDD1Dull + static_cast<std::uint64_t>(round);
  for (std::size_t i = count; i > 1; --i) std::swap(places[i - 1], places[next_random(state) % i]);
  return places;
}

std::vector<Condition> round_order(const std::vector<Condition>& conditions, std::uint64_t seed, int round) {
  std::vector<Condition> order;
  for (const std::size_t place : round_order(conditions.size(), seed, round)) order.push_back(conditions[place]);
  return order;
}

}  // namespace stash
