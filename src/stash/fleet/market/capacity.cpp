#include "stash/fleet/market/capacity.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "stash/serve/batching/batch_rule.h"

namespace stash {
namespace {

constexpr int kArrivals = 20'000;  // the share that is met is then known to a tenth of a percentage point
constexpr int kSteps = 11;         // of the search: a thousandth of the largest rate
constexpr std::uint64_t kSeed = 20'190'710;

struct DeviceRule {
  const BatchTimes& times;
  double scale;  // of T(b)
  double objective_s;
  int most_rows;

  double at(int rows) const { return scale * times.at(rows); }
};

// The share that is answered in time by one device that takes what waits as soon as it is free, at most `most_rows`,
// and refuses what would be late; `unit_gaps` are exponential with mean 1.
double met_ratio(const DeviceRule& rule, double rate_per_s, const std::vector<double>& unit_gaps) {
  std::vector<double> arrivals(unit_gaps.size());
  double now = 0;
  for (std::size_t i = 0; i < unit_gaps.size(); ++i) arrivals[i] = now += unit_gaps[i] / rate_per_s;
  std::vector<double> at(static_cast<std::size_t>(rule.most_rows) + 1);
  for (int rows = 1; rows <= rule.most_rows; ++rows) at[static_cast<std::size_t>(rows)] = rule.at(rows);

  double free = 0;
  std::size_t met = 0, next = 0;
  while (next < arrivals.size()) {
    const double start = std::max(free, arrivals[next]);
    std::size_t end = next;
    const std::size_t limit = std::min(arrivals.size(), next + static_cast<std::size_t>(rule.most_rows));
    while (end < limit && arrivals[end] <= start) ++end;
    // What cannot be in time any more is refused, which makes room in the batch.
    if (arrivals[next] + rule.objective_s < start + at[end - next]) {
      ++next;
      continue;
    }
    met += end - next;
    free = start + at[end - next];
    next = end;
  }
  return static_cast<double>(met) / static_cast<double>(arrivals.size());
}

double sustained_per_s(const MachineType& type, const FleetObjective& objective, double scale,
                       const std::vector<double>& unit_gaps) {
  DeviceRule rule{type.times, scale, objective.latency_s, 1};
  if (rule.at(1) > objective.latency_s) return 0;
  rule.most_rows = rows_within(type.times, objective.latency_s / scale, type.most_batch);
  double low = 0, high = 1.2 * rule.most_rows / rule.at(rule.most_rows);
  for (int i = 0; i < kSteps; ++i) {
    const double rate = (low + high) / 2;
    (met_ratio(rule, rate, unit_gaps) >= objective.meet_ratio ? low : high) = rate;
  }
  return low * type.devices;
}

}  // namespace

std::optional<MachineCapacity> capacity_of(const MachineType& type, const FleetObjective& objective) {
  if (type.times.at(1) > objective.latency_s) return std::nullopt;
  std::mt19937_64 random(kSeed);
  std::exponential_distribution<double> gap(1);
  std::vector<double> unit_gaps(kArrivals);
  for (double& one : unit_gaps) one = gap(random);

  MachineCapacity capacity;
  capacity.batch = rows_within(type.times, objective.latency_s, type.most_batch);
  capacity.wait_s = std::max(0.0, objective.latency_s - type.times.at(capacity.batch));
  capacity.per_s = sustained_per_s(type, objective, 1, unit_gaps);
  capacity.low_per_s = capacity.high_per_s = capacity.per_s;
  if (type.times_spread_ratio > 0) {
    capacity.low_per_s = sustained_per_s(type, objective, 1 + type.times_spread_ratio, unit_gaps);
    capacity.high_per_s = sustained_per_s(type, objective, 1 / (1 + type.times_spread_ratio), unit_gaps);
  }
  if (!(capacity.per_s > 0)) return std::nullopt;
  return capacity;
}

}  // namespace stash
