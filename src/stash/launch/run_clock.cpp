#include "stash/launch/run_clock.h"

#include "stash/core/clock.h"

namespace stash {

RunClock::RunClock() : started_ns_(now_ns()) {}

Profile RunClock::finish(const Collector& collector, std::optional<StoppedBy> ended_by) const {
  Profile profile = collector.finished();
  profile.elapsed_s = seconds(now_ns() - started_ns_);
  profile.stolen_ratio = stolen_.ratio();
  profile.complete = collector.stopped() && !ended_by;
  if (ended_by) profile.stopped_by = *ended_by;
  return profile;
}

}  // namespace stash
