#include "stash/serve/batching/share_rule.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "stash/core/error.h"

namespace stash {
namespace {

constexpr double kRoom = 0.8;  // of a share's capacity that a rate may take: queues are short
constexpr int kMovedSteps = 2;

double samples_per_s(const BatchTimes& times, int batch) {
  const double s = times.at(batch);
  return s > 0 ? batch / s : 1e12;
}

double best_rate(const BatchTimes& times, int most_batch) {
  double best = 0;
  for (int batch = 1; batch <= most_batch; batch = batch < most_batch ? std::min(2 * batch, most_batch) : batch + 1) {
    best = std::max(best, samples_per_s(times, batch));
  }
  return best;
}

bool is_enough(const ShareNeed& need, int given, int steps) {
  const BatchTimes times = times_on_steps(need, given, steps);
  int most = need.most_batch;
  if (need.objective_s) most = times.largest_within(*need.objective_s / 2, need.most_batch);
  if (most == 0) return false;
  return need.rate_per_s <= kRoom * best_rate(times, most);
}

int needed_steps(const ShareNeed& need, int steps) {
  for (int i = 1; i < steps; ++i) {
    if (is_enough(need, i, steps)) return i;
  }
  return steps;
}

// The share beyond which its largest batch gains nothing.
int knee_steps(const ShareNeed& need, int steps) {
  std::vector<ShareTime> rows;
  for (int i = 1; i <= steps; ++i) {
    rows.push_back({static_cast<double>(i) / steps, times_on_steps(need, i, steps).at(need.most_batch)});
  }
  return static_cast<int>(std::lround(knee_share(rows) * steps));
}

std::vector<double> shares_of(const std::vector<int>& given, int steps) {
  std::vector<double> shares;
  for (const int one : given) shares.push_back(static_cast<double>(one) / steps);
  return shares;
}

// Less for all in proportion, one step at least.
void shrink(std::vector<int>& given, int steps) {
  const double all = std::accumulate(given.begin(), given.end(), 0.0);
  for (int& one : given) one = std::max(1, static_cast<int>(one * steps / all));
  while (std::accumulate(given.begin(), given.end(), 0) > steps) --*std::ranges::max_element(given);
  for (std::size_t i = 0; std::accumulate(given.begin(), given.end(), 0) < steps; ++i) ++given[i % given.size()];
}

void check_count(std::size_t models, int steps) {
  if (models >= 1 && models <= static_cast<std::size_t>(steps)) return;
  throw UsageError(fmt::format("{} models cannot share a device of {} parts: serve fewer", models, steps));
}

}  // namespace

double used_share(const BatchTimes& times, int batch, double least) {
  const double best = best_rate(times, std::max(batch, times.rows().back().batch));
  return best > 0 ? std::clamp(samples_per_s(times, batch) / best, least, 1.0) : 1.0;
}

BatchTimes times_on_share(const BatchTimes& times, int most_batch, double share) {
  std::vector<BatchTime> rows;
  for (int batch = 1; batch <= most_batch; batch = batch < most_batch ? std::min(2 * batch, most_batch) : batch + 1) {
    const double s = times.at(batch) * std::max(1.0, used_share(times, batch, 0) / share);
    rows.push_back({batch, rows.empty() ? s : std::max(s, rows.back().s)});
  }
  return BatchTimes(std::move(rows));
}

double knee_share(std::span<const ShareTime> rows, double gain) {
  const double least_s = rows.back().s;
  const auto found = std::ranges::find_if(rows, [&](const ShareTime& row) { return row.s <= least_s * (1 + gain); });
  return found->share;
}

std::vector<double> equal_shares(int models, int steps) {
  check_count(static_cast<std::size_t>(std::max(models, 0)), steps);
  std::vector<int> given(static_cast<std::size_t>(models), steps / models);
  for (int i = 0; i < steps % models; ++i) ++given[static_cast<std::size_t>(i)];
  return shares_of(given, steps);
}

std::vector<double> shares_by_need(std::span<const ShareNeed> needs, int steps) {
  check_count(needs.size(), steps);
  std::vector<int> given;
  for (const ShareNeed& need : needs) given.push_back(needed_steps(need, steps));
  if (std::accumulate(given.begin(), given.end(), 0) > steps) {
    shrink(given, steps);
    return shares_of(given, steps);
  }
  std::vector<int> knees;
  for (const ShareNeed& need : needs) knees.push_back(knee_steps(need, steps));
  for (int left = steps - std::accumulate(given.begin(), given.end(), 0); left > 0; --left) {
    // Who has the least of what it can use; of those who have all, who has least.
    std::size_t poorest = 0;
    const auto wealth = [&](std::size_t i) {
      const double ratio = static_cast<double>(given[i]) / knees[i];
      return ratio < 1 ? ratio : 1 + given[i];
    };
    for (std::size_t i = 1; i < given.size(); ++i) {
      if (wealth(i) < wealth(poorest)) poorest = i;
    }
    ++given[poorest];
  }
  return shares_of(given, steps);
}

BatchTimes times_on_steps(const ShareNeed& need, int given, int steps) {
  if (static_cast<int>(need.measured.size()) == steps) return need.measured[static_cast<std::size_t>(given - 1)];
  return times_on_share(need.times, need.most_batch, static_cast<double>(given) / steps);
}

bool do_needs_fit(std::span<const ShareNeed> needs, int steps) {
  int all = 0;
  for (const ShareNeed& need : needs) {
    const int given = needed_steps(need, steps);
    if (!is_enough(need, given, steps)) return false;
    all += given;
  }
  return all <= steps;
}

std::optional<std::vector<double>> changed_shares(SharingWay way, std::span<const double> now,
                                                  std::span<const ShareNeed> needs, int steps) {
  if (now.empty()) return equal_shares(static_cast<int>(needs.size()), steps);
  if (way != SharingWay::need) return std::nullopt;
  std::vector<double> shares = shares_by_need(needs, steps);
  if (!pays_to_move(now, shares, steps)) return std::nullopt;
  return shares;
}

bool pays_to_move(std::span<const double> now, std::span<const double> then, int steps) {
  for (std::size_t i = 0; i < now.size(); ++i) {
    if (std::lround(std::fabs(now[i] - then[i]) * steps) >= kMovedSteps) return true;
  }
  return false;
}

}  // namespace stash
