#include "stash/share/allocate.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "stash/core/error.h"
#include "stash/share/storage_shares.h"

namespace stash {
namespace {

// Workers and a number of storage units for one job, and what the objective gets for them.
struct Choice {
  int workers = 1;
  int cores = 1;
  int units = 0;
  double ratio = 0;  // of the rate with the even split
  double level = 0;  // of the objective that looks at the worst job
};

// The best that the jobs so far can do with at most these cores and units.
struct Cell {
  double ratio = -1;  // their sum; negative: they do not fit
  int cores = 0;      // that are used
};

bool is_better(const Cell& one, const Cell& other) {
  const double tolerance = 1e-12 * std::max(1.0, std::abs(other.ratio));
  if (one.ratio > other.ratio + tolerance) return true;
  return one.ratio >= other.ratio - tolerance && one.cores < other.cores;
}

// A knapsack with one choice from each group, by dynamic programming over cores and storage units: exact.
class Knapsack {
 public:
  Knapsack(int cores, int units) : cores_(cores), units_(units), best_(size(), Cell{0, 0}) {}

  void add_group(std::span<const Choice> choices, double least_level) {
    std::vector<Cell> next(size());
    std::vector<int> taken(size(), -1);
    for (std::size_t i = 0; i < choices.size(); ++i) {
      const Choice& choice = choices[i];
      if (choice.level < least_level) continue;
      for (int cores = choice.cores; cores <= cores_; ++cores) {
        for (int units = choice.units; units <= units_; ++units) {
          const Cell& before = best_[at(cores - choice.cores, units - choice.units)];
          if (before.ratio < 0) continue;
          const Cell with{before.ratio + choice.ratio, before.cores + choice.cores};
          const std::size_t place = at(cores, units);
          if (taken[place] >= 0 && !is_better(with, next[place])) continue;
          next[place] = with;
          taken[place] = static_cast<int>(i);
        }
      }
    }
    best_ = std::move(next);
    taken_.push_back(std::move(taken));
  }

  bool fits() const { return best_.back().ratio >= 0; }

  // The choice of every group.
  std::vector<Choice> choices(std::span<const std::vector<Choice>> groups) const {
    std::vector<Choice> chosen(groups.size());
    int cores = cores_, units = units_;
    for (std::size_t j = groups.size(); j-- > 0;) {
      chosen[j] = groups[j][static_cast<std::size_t>(taken_[j][at(cores, units)])];
      cores -= chosen[j].cores;
      units -= chosen[j].units;
    }
    return chosen;
  }

 private:
  std::size_t size() const { return static_cast<std::size_t>(cores_ + 1) * static_cast<std::size_t>(units_ + 1); }
  std::size_t at(int cores, int units) const {
    return static_cast<std::size_t>(cores) * static_cast<std::size_t>(units_ + 1) + static_cast<std::size_t>(units);
  }

  int cores_, units_;
  std::vector<Cell> best_;
  std::vector<std::vector<int>> taken_;  // by group and cell
};

class Allocator {
 public:
  Allocator(std::span<const SupplyCurve> curves, const Resources& resources, Objective objective)
      : curves_(curves), resources_(resources), objective_(objective), even_(even_split(curves, resources)) {
    even_rates_ = rates_of(curves, even_);
    const bool reads = std::ranges::any_of(curves, [](const SupplyCurve& c) { return c.storage_bytes_per_sample > 0; });
    if (reads && std::isfinite(resources.storage_bytes_per_s)) units_ = kStorageUnits;
    for (std::size_t j = 0; j < curves.size(); ++j) choices_.push_back(choices_of(j));
  }

  Allocation best() const {
    const double least = objective_ == Objective::throughput ? 0 : highest_level();
    Allocation found = shares_of(solve(least)->choices(choices_));
    return is_worse_than_even(found) ? even_ : found;
  }

 private:
  double bytes_of(int units) const { return resources_.storage_bytes_per_s * units / std::max(units_, 1); }

  Choice choice(std::size_t j, int workers, int units) const {
    const SupplyCurve& curve = curves_[j];
    const bool counts = units_ > 0 && curve.storage_bytes_per_sample > 0;
    const std::vector<Rate> one{rate_of(curve, workers, counts ? bytes_of(units) : kAllStorage)};
    return {.workers = workers,
            .cores = workers * curve.ranks,
            .units = units,
            .ratio = one[0].per_s / even_rates_[j].per_s,
            .level = objective_value({&curve, 1}, one, {&even_rates_[j], 1}, objective_)};
  }

  // What another choice gives for no more workers and units is left out, and workers that bring next to nothing.
  std::vector<Choice> choices_of(std::size_t j) const {
    const SupplyCurve& curve = curves_[j];
    const bool counts = units_ > 0 && curve.storage_bytes_per_sample > 0;
    std::vector<Choice> kept;
    for (int workers = curve.min_workers; workers <= curve.max_workers(); ++workers) {
      if (workers * curve.ranks > resources_.cores) break;
      for (int units = counts ? 1 : 0; units <= (counts ? units_ : 0); ++units) {
        const Choice one = choice(j, workers, units);
        const bool covered = std::ranges::any_of(kept, [&](const Choice& other) {
          const double worth = other.workers == workers ? 1 : 1 - kWorthwhileRatio;
          return other.units <= units && other.workers <= workers && other.ratio >= one.ratio * worth;
        });
        if (!covered) kept.push_back(one);
      }
    }
    return kept;
  }

  std::optional<Knapsack> solve(double least_level) const {
    Knapsack knapsack(resources_.cores, units_);
    for (const std::vector<Choice>& group : choices_) knapsack.add_group(group, least_level);
    return knapsack.fits() ? std::optional(std::move(knapsack)) : std::nullopt;
  }

  // The highest level that every job can reach: one of those that some choice reaches.
  double highest_level() const {
    std::vector<double> levels;
    for (const auto& group : choices_) {
      for (const Choice& one : group) levels.push_back(one.level);
    }
    std::ranges::sort(levels);
    const auto first_too_high = std::ranges::partition_point(levels, [&](double level) { return bool(solve(level)); });
    return first_too_high == levels.begin() ? 0 : *(first_too_high - 1);
  }

  Allocation shares_of(const std::vector<Choice>& chosen) const {
    Allocation allocation;
    int cores = 0;
    for (const Choice& one : chosen) {
      cores += one.cores;
      allocation.jobs.push_back({one.workers, one.units > 0 ? bytes_of(one.units) : kAllStorage});
    }
    allocation.idle_cores = resources_.cores - cores;
    return allocation;
  }

  // Pieces of storage are coarse: an operating system may share it out better.
  bool is_worse_than_even(const Allocation& found) const {
    const std::vector<Rate> rates = rates_of(curves_, found);
    return objective_value(curves_, rates, even_rates_, objective_) * (1 + kWorthwhileRatio) <
           objective_value(curves_, even_rates_, even_rates_, objective_);
  }

  std::span<const SupplyCurve> curves_;
  Resources resources_;
  Objective objective_;
  Allocation even_;
  std::vector<Rate> even_rates_;
  int units_ = 0;
  std::vector<std::vector<Choice>> choices_;
};

constexpr std::array<std::string_view, 3> kObjectiveNames{"throughput", "fairness", "makespan"};

}  // namespace

std::string_view to_string(Objective objective) { return kObjectiveNames[static_cast<std::size_t>(objective)]; }

Objective parse_objective(std::string_view name) {
  const auto found = std::ranges::find(kObjectiveNames, name);
  if (found == kObjectiveNames.end()) throw_unknown("--objective", name, kObjectiveNames);
  return static_cast<Objective>(found - kObjectiveNames.begin());
}

Allocation allocate(std::span<const SupplyCurve> curves, const Resources& resources, Objective objective) {
  if (objective == Objective::makespan) {
    std::vector<SupplyCurve> told(curves.begin(), curves.end());
    const std::vector<double> left = work_left(curves);
    for (std::size_t j = 0; j < told.size(); ++j) told[j].samples_left = left[j];
    return Allocator(told, resources, objective).best();
  }
  return Allocator(curves, resources, objective).best();
}

}  // namespace stash
