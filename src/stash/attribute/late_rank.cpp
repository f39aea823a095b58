#include "stash/attribute/late_rank.h"

#include <algorithm>
#include <cmath>

#include "stash/core/statistics.h"

namespace stash {

namespace {

// Ranks are never equally fast; what is less than this share of the step is not worth a line in the report.
constexpr double kLateRatio = 0.02;
// Every rank is looked at in every condition: a 95 % interval for each would name a rank in one of a few runs.
constexpr double kWidened = 2;

LateCause cause_under(Condition condition) {
  if (condition == Condition::solo || condition == Condition::apart) return LateCause::compute;
  return uses_input(condition) ? LateCause::input : LateCause::link;
}

// Without collectives each rank takes its own time. With them all are as slow as the slowest: who waits for batches is
// the cause where there is input, and else who comes late to the collectives.
std::optional<double> own_time_s(const RankSample& sample, const Window& window) {
  switch (cause_under(window.condition)) {
    case LateCause::compute:
      return sample.wall_s / window.steps;
    case LateCause::input:
      return sample.input_wait_s / window.steps;
    case LateCause::link:
      return sample.behind_s;
  }
  return std::nullopt;
}

// Adds, for each rank that was measured beside others, how far it was behind their median.
void add_behind(std::vector<std::vector<double>>& behind_s, const Window& window) {
  std::vector<double> sorted;
  for (const auto& sample : window.ranks) {
    const auto own_s = sample ? own_time_s(*sample, window) : std::nullopt;
    if (own_s) sorted.push_back(*own_s);
  }
  if (sorted.size() < 2) return;
  std::sort(sorted.begin(), sorted.end());
  behind_s.resize(std::max(behind_s.size(), window.ranks.size()));
  for (std::size_t rank = 0; rank < window.ranks.size(); ++rank) {
    const auto own_s = window.ranks[rank] ? own_time_s(*window.ranks[rank], window) : std::nullopt;
    if (!own_s) continue;
    const auto place = std::lower_bound(sorted.begin(), sorted.end(), *own_s) - sorted.begin();
    behind_s[rank].push_back(*own_s - median_without(sorted, static_cast<std::size_t>(place)));
  }
}

bool is_late(const std::vector<double>& behind, double step_s) {
  if (behind.size() < 2) return false;
  const int count = static_cast<int>(behind.size());
  const double noise_s = kWidened * student_t_quantile_975(count - 1) * std::sqrt(sample_variance(behind) / count);
  return mean(behind) > std::max(kLateRatio * step_s, noise_s);
}

std::optional<LateRank> latest_at(const RoundTable& table, std::size_t place, double step_s) {
  std::vector<std::vector<double>> behind_s;  // by rank, then by round
  for (const auto& round : table.rounds) add_behind(behind_s, *round[place]);
  std::optional<LateRank> latest;
  for (std::size_t rank = 0; rank < behind_s.size(); ++rank) {
    if (!is_late(behind_s[rank], step_s)) continue;
    const double s = mean(behind_s[rank]);
    const Condition condition = table.chain[place];
    if (!latest || s > latest->s) latest = LateRank{static_cast<int>(rank), condition, s, cause_under(condition)};
  }
  return latest;
}

}  // namespace

std::optional<LateRank> find_late_rank(const RoundTable& table, double step_s) {
  for (std::size_t place = 0; place < table.chain.size(); ++place) {
    if (const auto latest = latest_at(table, place, step_s)) return latest;
  }
  return std::nullopt;
}

}  // namespace stash
