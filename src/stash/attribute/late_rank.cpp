#include "stash/attribute/late_rank.h"

#include <algorithm>
#include <cmath>

#include "stash/core/statistics.h"

namespace stash {

namespace {

// Ranks are never equally fast; what is less than this share of the step is not worth a line in the report.
constexpr double kLateRatio = 0.01;

// Without collectives each rank takes its own time. With input, collectives make all ranks as slow as the slowest,
// and the one that waits for batches is the cause. In between nothing tells a rank's own delay from its waiting.
bool tells_ranks_apart(Condition condition) {
  return condition == Condition::solo || condition == Condition::apart || uses_input(condition);
}

double own_time_s(const RankSample& sample, const Window& window) {
  return (uses_input(window.condition) ? sample.input_wait_s : sample.wall_s) / window.steps;
}

// Behind the median of the other ranks; nullopt where one of them or all others were not measured.
std::optional<double> behind_s(const Window& window, std::size_t rank) {
  if (rank >= window.ranks.size() || !window.ranks[rank]) return std::nullopt;
  std::vector<double> others;
  for (std::size_t i = 0; i < window.ranks.size(); ++i) {
    if (i != rank && window.ranks[i]) others.push_back(own_time_s(*window.ranks[i], window));
  }
  if (others.empty()) return std::nullopt;
  return own_time_s(*window.ranks[rank], window) - median(others);
}

std::vector<double> behind_by_round(const RoundTable& table, std::size_t place, std::size_t rank) {
  std::vector<double> values;
  for (const auto& round : table.rounds) {
    if (const auto value = behind_s(*round[place], rank)) values.push_back(*value);
  }
  return values;
}

bool is_late(const std::vector<double>& behind, double step_s) {
  if (behind.size() < 2) return false;
  const int count = static_cast<int>(behind.size());
  const double noise_s = student_t_quantile_975(count - 1) * std::sqrt(sample_variance(behind) / count);
  return mean(behind) > std::max(kLateRatio * step_s, noise_s);
}

std::optional<LateRank> latest_at(const RoundTable& table, std::size_t place, double step_s) {
  std::size_t ranks = 0;
  for (const auto& round : table.rounds) ranks = std::max(ranks, round[place]->ranks.size());
  std::optional<LateRank> latest;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    const std::vector<double> behind = behind_by_round(table, place, rank);
    if (!is_late(behind, step_s)) continue;
    const double s = mean(behind);
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
