#pragma once

#include <optional>
#include <span>

#include "stash/study/observation.h"

namespace stash {

// What an exchange among these ranks costs; docs/metrics.md has the formulas.
struct Communication {
  double latency_s = 0;       // of each collective
  double s_per_byte = 0;      // of a rank's gradients, when a collective is alone
  double paired_ratio = 1;    // two in flight together move this many times what one alone does; 1 to 2
  double slowdown_ratio = 0;  // share of the time that communication hides behind the backward pass, lost all the same
};

// The stall of a step. A bucket goes out when it is full and the backend has room for it; what lasts beyond the
// backward pass is exposed.
double stall_s(const Observation& observation, const Communication& communication);

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
