#include "stash/share/pool/pool_split.h"

#include <algorithm>
#include <cmath>

namespace stash {
namespace {

// A change must bring this much; less comes and goes with the noise of what is measured.
constexpr double kHysteresisRatio = 0.02;
constexpr double kCautionPerDoubling = 0.03;
constexpr double kSaturatedRatio = 0.999;  // of the ceiling
// A job whose workers change may lose this many batches while its queue adapts.
constexpr double kBatchesLost = 2;

int least_of(const PoolSeatFacts& job) { return job.curve.min_workers * job.curve.ranks; }

int room_for(std::span<const PoolSeatFacts> jobs, int workers) {
  int least = 0;
  for (const PoolSeatFacts& job : jobs) least += least_of(job);
  return std::clamp(std::max(workers, least), 1, kMostSharedCores);
}

// Where two splits promise as much, the one nearer to the even split: what is far from what was seen is less sure.
SupplyCurve cautious(SupplyCurve curve, int even) {
  for (int workers = 1; workers <= curve.max_workers(); ++workers) {
    Rate& rate = curve.by_workers[static_cast<std::size_t>(workers - 1)];
    if (rate.per_s >= curve.ceiling.per_s * kSaturatedRatio) continue;
    rate = scaled(rate, 1 / (1 + kCautionPerDoubling * std::abs(std::log2(static_cast<double>(workers) / even))));
  }
  return curve;
}

std::vector<Rate> rates_with(std::span<const SupplyCurve> curves, std::span<const int> workers) {
  std::vector<Rate> rates;
  for (std::size_t j = 0; j < curves.size(); ++j) rates.push_back(rate_of(curves[j], workers[j]));
  return rates;
}

}  // namespace

std::vector<int> split_evenly(std::span<const PoolSeatFacts> jobs, int workers) {
  std::vector<SupplyCurve> curves;
  for (const PoolSeatFacts& job : jobs) curves.push_back(job.curve);
  std::vector<int> split;
  for (const JobShare& share : even_split(curves, {.cores = room_for(jobs, workers)}).jobs) {
    split.push_back(share.workers);
  }
  return split;
}

PoolSplit split_by_need(std::span<const PoolSeatFacts> jobs, int workers, Objective objective) {
  const int room = room_for(jobs, workers);
  PoolSplit split{.workers = split_evenly(jobs, workers)};
  std::vector<std::size_t> known;
  std::vector<SupplyCurve> curves, wary;
  std::vector<int> even;
  int left = room;
  for (std::size_t j = 0; j < jobs.size(); ++j) {
    if (jobs[j].is_known && !jobs[j].is_silent) {
      known.push_back(j);
      curves.push_back(jobs[j].curve);
      wary.push_back(cautious(jobs[j].curve, split.workers[j]));
      even.push_back(split.workers[j]);
      continue;
    }
    if (jobs[j].is_silent) split.workers[j] = jobs[j].curve.min_workers;
    left -= split.workers[j] * jobs[j].curve.ranks;
  }
  if (known.empty()) return split;
  const Allocation found = allocate(wary, {.cores = std::max(left, 1)}, objective);
  for (std::size_t i = 0; i < known.size(); ++i) split.workers[known[i]] = found.jobs[i].workers;
  split.gain_ratio = mean_ratio(rates_of(curves, found), rates_with(curves, even)) - 1;
  return split;
}

std::vector<int> half_given(std::span<const PoolSeatFacts> jobs, std::size_t from, const std::vector<bool>& takes) {
  std::vector<int> split;
  for (const PoolSeatFacts& job : jobs) split.push_back(job.workers);
  split[from] = std::max(jobs[from].curve.min_workers, (jobs[from].workers + 1) / 2);
  int freed = (jobs[from].workers - split[from]) * jobs[from].curve.ranks;
  for (bool given = true; given;) {
    given = false;
    for (std::size_t to = 0; to < jobs.size(); ++to) {
      if (!takes[to] || jobs[to].curve.ranks > freed || split[to] >= jobs[to].curve.max_workers()) continue;
      ++split[to];
      freed -= jobs[to].curve.ranks;
      given = true;
    }
  }
  return split;
}

bool is_worth_changing(std::span<const PoolSeatFacts> jobs, std::span<const int> next, double horizon_s,
                       Objective objective) {
  std::vector<SupplyCurve> curves;
  std::vector<int> from, to;
  double lost_s = 0, spread = 0;
  for (std::size_t j = 0; j < jobs.size(); ++j) {
    if (jobs[j].workers != next[j]) lost_s += kBatchesLost * jobs[j].batch_s;
    if (!jobs[j].is_known || jobs[j].is_silent) continue;
    curves.push_back(jobs[j].curve);
    from.push_back(std::max(jobs[j].workers, 1));
    to.push_back(next[j]);
    const Rate& ceiling = curves.back().ceiling;
    spread = std::max(spread, ceiling.high_per_s / ceiling.per_s - 1);
  }
  if (curves.empty()) return false;
  const std::vector<Rate> now = rates_with(curves, from), then = rates_with(curves, to);
  const double count = static_cast<double>(curves.size());
  const double gain =
      objective == Objective::throughput
          ? mean_ratio(then, now) - 1
          : objective_value(curves, then, now, objective) / objective_value(curves, now, now, objective) - 1;
  return gain > std::max(kHysteresisRatio, spread / std::sqrt(count)) && gain * horizon_s > lost_s / count;
}

}  // namespace stash
