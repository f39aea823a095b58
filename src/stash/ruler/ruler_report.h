#pragma once

#include <cstdint>

#include "stash/core/profile.h"

namespace stash {

// Who is told what a ruler finds, as soon as it is known.
class RulerReport {
 public:
  virtual ~RulerReport() = default;
  // What a window's edges cost, what a round is expected to take, and when the first one began: the time limit counts
  // from there.
  virtual void pilot(double edge_s, double round_s, std::int64_t rounds_start_ns) = 0;
  virtual void window(const Window& window) = 0;
  virtual void trace(const WindowTrace& trace) = 0;  // on rank 0 only
  // This rank could not make a variant's change: no rank measures it any more.
  virtual void dropped(const Variant&, const std::string& /*why*/) {}
};

}  // namespace stash
