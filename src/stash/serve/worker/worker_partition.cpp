#include "stash/serve/worker/worker_partition.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "stash/core/clock.h"

namespace stash {
namespace {

constexpr double kLookAgain_s = 1;

}  // namespace

int WorkerPartition::steps() const {
  std::size_t most = 0;
  for (const Part& part : parts_) most = std::max(most, part.times.size());
  return static_cast<int>(most);
}

void WorkerPartition::take_new_models() {
  for (Part& part : parts_) {
    if (part.version == part.queue->version()) continue;
    part.version = part.queue->version();
    part.whole = part.queue->model().times;
    part.times = part.worker->part_times();
  }
}

void WorkerPartition::settle(std::int64_t now_ns) {
  next_ns_ = now_ns + nanoseconds(kLookAgain_s);
  const bool is_new =
      std::ranges::any_of(parts_, [](const Part& part) { return part.version != part.queue->version(); });
  take_new_models();
  const int all = steps();
  if (all == 0) return;
  std::vector<ShareNeed> needs;
  for (const Part& part : parts_) {
    needs.push_back({.times = part.whole,
                     .most_batch = part.queue->settings().most_batch,
                     .rate_per_s = part.queue->rate_per_s(now_ns),
                     .objective_s = part.queue->rule().objective_s,
                     .measured = part.times});
  }
  if (way_ == SharingWay::need && !shares_.empty() && !do_needs_fit(needs, all)) return give_all();
  auto shares = changed_shares(way_, shares_, needs, all);
  if (shares) shares_ = std::move(*shares);
  if (shares || is_new) give(all);
}

void WorkerPartition::give_all() {
  shares_.assign(parts_.size(), 0);
  for (Part& part : parts_) {
    part.queue->counts.share_ratio.reset();
    part.worker->set_device_parts({});
    part.queue->change_times(part.whole);
  }
}

void WorkerPartition::give(int steps) {
  for (std::size_t i = 0, first = 0; i < parts_.size(); ++i) {
    Part& part = parts_[i];
    const int given = static_cast<int>(std::lround(shares_[i] * steps));
    part.queue->counts.share_ratio = shares_[i];
    const int begin = static_cast<int>(std::exchange(first, first + static_cast<std::size_t>(given)));
    if (static_cast<int>(part.times.size()) != steps) continue;
    part.worker->set_device_parts({.first = begin, .count = given});
    part.queue->change_times(part.times[static_cast<std::size_t>(given - 1)]);
  }
}

}  // namespace stash
