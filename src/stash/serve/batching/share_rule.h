#pragma once

#include <optional>
#include <span>
#include <vector>

#include "stash/serve/batching/serve_settings.h"
#include "stash/serve/model/batch_times.h"

namespace stash {

// How models divide the multiprocessors of a device. A share is from 0 to 1.

// The share of the device that a batch can use, as its time per batch size shows: a batch that is done at half of the
// best rate of samples leaves half of the device idle. Never below `least`.
double used_share(const BatchTimes& times, int batch, double least);

// T(b) on a share of the device: as on all of it while the share is what the batch can use, then in proportion longer.
BatchTimes times_on_share(const BatchTimes& times, int most_batch, double share);

// Time at shares, ascending: measured, or as times_on_share has it.
struct ShareTime {
  double share = 1;
  double s = 0;
};

// The knee: the smallest share from which on more of the device shortens a batch by less than `gain` of its time at all
// of it. At least one row.
double knee_share(std::span<const ShareTime> rows, double gain = 0.05);

// What a model needs of the device.
struct ShareNeed {
  BatchTimes times{{{1, 0}}};  // on all of it
  int most_batch = 1;
  double rate_per_s = 0;  // of samples, as of late
  std::optional<double> objective_s{};
  std::vector<BatchTimes> measured{};  // on 1, 2, … steps of the device; empty: as times_on_share() has it
};

// Shares of all models, which add up to 1 exactly in steps of 1/steps; each has a step at least. What a model needs is
// the smallest share on which it can serve its rate with room to spare and two batches within its objective; what is
// left goes where the knees are not reached, then evenly. Where needs do not fit, all get less in proportion.
// UsageError where there are more models than steps.
std::vector<double> shares_by_need(std::span<const ShareNeed> needs, int steps);
std::vector<double> equal_shares(int models, int steps);

// T(b) on so many steps of the device.
BatchTimes times_on_steps(const ShareNeed& need, int given, int steps);

// Whether the device is large enough for what all need.
bool do_needs_fit(std::span<const ShareNeed> needs, int steps);

// Whether changing to other shares is worth it: some share is off by two steps.
bool pays_to_move(std::span<const double> now, std::span<const double> then, int steps);

// The shares to change to from `now`, which is empty at first; nullopt: they stay.
std::optional<std::vector<double>> changed_shares(SharingWay way, std::span<const double> now,
                                                  std::span<const ShareNeed> needs, int steps);

}  // namespace stash
