#include "stash/serve/model/batch_times.h"

#include <algorithm>
#include <utility>

#include "stash/core/error.h"

namespace stash {

BatchTimes::BatchTimes(std::vector<BatchTime> rows) : rows_(std::move(rows)) {
  const auto is_out_of_order = [](const BatchTime& a, const BatchTime& b) { return b.batch <= a.batch; };
  if (rows_.empty() || rows_.front().batch != 1 || std::ranges::adjacent_find(rows_, is_out_of_order) != rows_.end()) {
    throw Error("the times of a model's batches must begin with a batch of 1 and rise");
  }
  // A larger batch that was measured as the faster one takes as long as the smaller: beyond the last one, times would
  // fall below zero otherwise.
  for (std::size_t i = 1; i < rows_.size(); ++i) rows_[i].s = std::max(rows_[i].s, rows_[i - 1].s);
}

double BatchTimes::at(int batch) const {
  if (rows_.size() == 1) return rows_.front().s;
  auto above = std::ranges::lower_bound(rows_, batch, {}, &BatchTime::batch);
  if (above == rows_.end()) --above;
  if (above == rows_.begin()) return rows_.front().s;
  const BatchTime& below = *(above - 1);
  const double ratio = static_cast<double>(batch - below.batch) / static_cast<double>(above->batch - below.batch);
  return below.s + ratio * (above->s - below.s);
}

int BatchTimes::largest_within(double s, int most) const {
  int batch = most;
  while (batch > 0 && at(batch) > s) --batch;
  return batch;
}

}  // namespace stash
