#include "stash/battery/budget.h"

#include <algorithm>

#include "stash/core/units.h"

namespace stash {

Budget::Budget(const Caps& caps, double spent_before_s, std::function<double()> now_s)
    : now_s_(std::move(now_s)), start_s_(now_s_()) {
  if (caps.max_time_s) {
    limit_s_ = caps.max_time_s;
    cap_ = "--max-time";
  }
  if (!caps.max_usd || !caps.usd_per_h) return;
  const double affordable_s = *caps.max_usd / *caps.usd_per_h * kSecondsPerHour - spent_before_s;
  if (limit_s_ && *limit_s_ <= affordable_s) return;
  limit_s_ = affordable_s;
  cap_ = "--max-cost";
}

double Budget::spent_s() const { return now_s_() - start_s_; }

std::optional<double> Budget::left_s() const {
  if (!limit_s_) return std::nullopt;
  return std::max(*limit_s_ - spent_s(), 0.0);
}

std::string Budget::cap() const { return cap_; }

}  // namespace stash
