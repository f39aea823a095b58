#include "stash/attribute/late_rank.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "stash/core/statistics.h"

namespace stash {

namespace {

// Ranks are never equally fast; what is less than this share of the step is not worth a line in the report.
constexpr double kLateRatio = 0.02;
// Every rank is looked at in every condition: a 95 % interval for each would name a rank in one of a few runs.
constexpr double kWidened = 2;

// Without collectives each rank takes its own time. With input, collectives make all ranks as slow as the slowest,
// and the one that waits for batches is the cause. In between nothing tells a rank's own delay from its waiting.
bool tells_ranks_apart(Condition condition) {
  return condition == Condition::solo || condition == Condition::apart || uses_input(condition);
}

double own_time_s(const RankSample& sample, const Window& window) {
  return (uses_input(window.condition) ? sample.input_wait_s : sample.wall_s) / window.steps;
}

// Of `sorted` without its element at `left_out`, which leaves at least one.
double median_without(const std::vector<double>& sorted, std::size_t left_out) {
  const auto other = [&](std::size_t i) { return sorted[i < left_out ? i : i + 1]; };
  const std::size_t count = sorted.size() - 1;
  return std::midpoint(other((count - 1) / 2), other(count / 2));
}

// Adds, for each rank that was measured beside others, how far it was behind their median.
void add_behind(std::vector<std::vector<double>>& behind_s, const Window& window) {
  std::vector<double> sorted;
  for (const auto& sample : window.ranks) {
    if (sample) sorted.push_back(own_time_s(*sample, window));
  }
  if (sorted.size() < 2) return;
  std::sort(sorted.begin(), sorted.end());
  behind_s.resize(std::max(behind_s.size(), window.ranks.size()));
  for (std::size_t rank = 0; rank < window.ranks.size(); ++rank) {
    if (!window.ranks[rank]) continue;
    const double own_s = own_time_s(*window.ranks[rank], window);
    const auto place = std::lower_bound(sorted.begin(), sorted.end(), own_s) - sorted.begin();
    behind_s[rank].push_back(own_s - median_without(sorted, static_cast<std::size_t>(place)));
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
    if (!latest || s > latest->s) latest = LateRank{static_cast<int>(rank), table.chain[place], s};
  }
  return latest;
}

}  // namespace

std::optional<LateRank> find_late_rank(const RoundTable& table, double step_s) {
  for (std::size_t place = 0; place < table.chain.size(); ++place) {
    if (!tells_ranks_apart(table.chain[place])) continue;
    if (const auto latest = latest_at(table, place, step_s)) return latest;
  }
  return std::nullopt;
}

}  // namespace stash
