#pragma once

#include <cstdint>
#include <optional>

#include "stash/core/profile.h"
#include "stash/launch/collector.h"
#include "stash/launch/stolen_time.h"

namespace stash {

// How long a run takes with all that belongs to it, and what other tenants of the host took of it.
class RunClock {
 public:
  RunClock();

  // What was collected, as the profile of a run that ends now. `ended_by`: what kept the ranks from coming to the end
  // of their rounds; absent: nothing.
  Profile finish(const Collector& collector, std::optional<StoppedBy> ended_by) const;

 private:
  std::int64_t started_ns_;
  StolenTime stolen_;
};

}  // namespace stash
