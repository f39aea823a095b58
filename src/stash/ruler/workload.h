#pragma once

#include <optional>

#include "stash/core/variant.h"
#include "stash/ruler/window_probe.h"

namespace stash {

// A job that runs under the conditions of the chain, as the ruler sees it. All ranks call in the same order.
class Workload {
 public:
  virtual ~Workload() = default;

  // What follows runs with this change to the condition, until undo(): enter() comes after the one and leave() before
  // the other. No step runs meanwhile. Error: the change cannot be made, and nothing has changed.
  virtual void apply(const Variant& variant);
  virtual void undo() {}

  // `steps` will follow; the pages of their samples are evicted or loaded. Returns the share of those pages that is
  // cached afterwards, where that is known.
  virtual std::optional<double> enter(Condition condition, int steps) = 0;
  virtual void go() = 0;  // what runs in the background starts
  // The seconds that the steps took until the device was idle. Nullopt on a rank that waits under this condition.
  virtual std::optional<double> run(int steps) = 0;
  virtual void leave() = 0;

  virtual WindowProbe& probe() = 0;
  virtual double stop_s() = 0;  // how late the host learns that the device is idle
  virtual std::optional<double> loss() const { return std::nullopt; }
  // Equal on all ranks that have the same weights; nullopt where weights may differ.
  virtual std::optional<double> weight_sum() const { return std::nullopt; }
};

}  // namespace stash
