#pragma once

#include <cstdint>
#include <optional>

#include "stash/input/batch_queue.h"
#include "stash/input/dataset/dataset.h"
#include "stash/input/sampler.h"

namespace stash {

// The pages of the samples at some positions of a rank's sequence. What cannot be opened is left out.
class UpcomingPages {
 public:
  UpcomingPages(const Dataset& dataset, const Sampler& sampler, BatchQueue::Positions positions)
      : dataset_(dataset), sampler_(sampler), positions_(positions) {}

  void evict() const;
  void load() const;
  std::optional<double> cached_ratio() const;  // nullopt where the system does not tell

 private:
  template <class Action>
  void for_each_file(Action action) const;

  const Dataset& dataset_;
  const Sampler& sampler_;
  BatchQueue::Positions positions_;
};

}  // namespace stash
