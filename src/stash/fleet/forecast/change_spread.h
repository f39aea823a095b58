#pragma once

#include <cstddef>
#include <deque>
#include <span>

#include "stash/fleet/policy/fleet_policy.h"

namespace stash {

// How far the load moves within a few minutes, while there is less than a day of it to learn from: it begins with an
// assumption, learns from every minute, and fades.
class ChangeSpread {
 public:
  void see(const LoadMinute& minute);
  // What a coming minute stays below with this probability, above 0.5; 0 once a day was seen.
  double least_quantile(double probability) const;

 private:
  std::deque<double> last_;   // loads
  std::size_t recorded_ = 0;  // minutes
  double squares_ = 0;        // of the logarithms of changes
};

}  // namespace stash
