#pragma once

#include "stash/fleet/policy/fleet_policy.h"

namespace stash {

// What a missed request is worth to a plan: little while few of the misses that the objective allows were used, much
// when they are used up. So those that are allowed go where a machine would serve fewest requests.
class MissPrice {
 public:
  // `least_usd`, `most_usd`: per request, where none and all of what may be missed was.
  MissPrice(double allowed_ratio, double least_usd, double most_usd);

  // A minute before it had a say: as if the usual part of what may be missed had been.
  void see_before(const LoadMinute& minute);
  void see(const LoadMinute& minute);  // the next one
  // Of the misses that may be used, over about a day and of late, whichever is more; 1 before anything was seen.
  double used_ratio() const;
  bool is_used_up() const { return used_ratio() >= 1; }
  double usd() const;

 private:
  double allowed_ratio_;
  double least_usd_;
  double most_usd_;
  bool has_begun_ = false;
  double requests_ = 0, missed_ = 0;
  double recent_requests_ = 0, recent_missed_ = 0;
};

}  // namespace stash
