#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "stash/fleet/traffic/load_trace.h"
#include "stash/fleet/traffic/trace_days.h"

namespace stash {

// The arrivals of a trace, in order, in seconds since it began: those that the file names, else drawn evenly within
// their slot (as those of a Poisson process are, given their number). A slot's arrivals depend on the seed and the slot
// alone. Memory does not grow with the trace.
class ArrivalStream {
 public:
  ArrivalStream(const LoadTrace& trace, std::uint64_t seed, TraceSpan span);  // `trace` outlives it
  ArrivalStream(const LoadTrace& trace, std::uint64_t seed) : ArrivalStream(trace, seed, {0, trace.duration_s()}) {}

  // The next ones, a few thousand at most, valid until the next call; empty: there are no more.
  std::span<const double> next();
  // Where in trace.timed the last ones begin, if the file names times.
  std::size_t timed_index() const { return timed_begin_; }

 private:
  // Arrivals that are still to be drawn in a part of a slot.
  struct Part {
    double from_s = 0;
    double length_s = 0;
    std::uint32_t requests = 0;
    std::uint64_t key = 0;
  };

  std::span<const double> next_timed();
  bool take_slot();
  void split(const Part& part);
  void draw(const Part& part);

  const LoadTrace* trace_;
  std::uint64_t seed_;
  TraceSpan span_;
  std::size_t slot_ = 0;
  std::size_t timed_ = 0, timed_begin_ = 0;
  std::vector<Part> parts_;  // the earliest last
  std::vector<double> times_;
};

}  // namespace stash
