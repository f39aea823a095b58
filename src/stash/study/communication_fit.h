#pragma once

#include <optional>
#include <span>

#include "stash/study/communication_stall.h"

namespace stash {

// A coefficient with its 95 % interval, by leaving out one profile after the other.
struct Coefficient {
  double value = 0;
  double low = 0;
  double high = 0;
};

struct CommunicationFit {
  Coefficient latency_s, s_per_byte, slowdown_ratio;
  std::optional<Coefficient> paired_ratio;  // nullopt: the backend has one in flight at a time
  std::optional<double> r_squared;          // of the stalls in seconds; nullopt: all are the same

  Communication values() const;
};

// Four coefficients with intervals need this many profiles.
inline constexpr std::size_t kFewestFitted = 6;

// Error with fewer than kFewestFitted.
CommunicationFit fit_communication(std::span<const Observation> observations);

}  // namespace stash
