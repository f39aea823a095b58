#pragma once

#include <span>
#include <vector>

#include "stash/launch/shared_state.h"
#include "stash/measure/torch_headers.h"

namespace stash {

// What ranks tell each other about the measurement: a group of its own, which no condition touches.
class Control {
 public:
  Control(c10::intrusive_ptr<c10d::ProcessGroup> group, RankState& state) : group_(std::move(group)), state_(state) {}

  int rank() const { return group_->getRank(); }
  int size() const { return group_->getSize(); }
  void barrier();
  // Every rank's values, by rank; all give the same number of them.
  std::vector<std::vector<double>> gather(std::span<const double> values);
  double from_rank_0(double value);
  // True everywhere when any rank says so.
  bool any(bool value);

 private:
  c10::intrusive_ptr<c10d::ProcessGroup> group_;
  RankState& state_;
};

}  // namespace stash
