#include "stash/fleet/policy/miss_price.h"

#include <algorithm>
#include <cmath>

namespace stash {
namespace {

// Of the misses that the objective allows, what may be used; the rest is for what no plan sees.
constexpr double kUsedMisses = 0.7;
constexpr double kMissMemory = 1 - 1.0 / 1440;  // by minute: what the objective allows is kept over about a day
// Nor may a burst be given up: of late, no more than this many times the misses that the objective allows.
constexpr double kRecentMemory = 1 - 1.0 / 30;
constexpr double kRecentMisses = 10;
// The price rises with the third power of what is used, so that most of it is used before a miss is dear.
// It begins as if, before, this many minutes had used all that may be missed: safe until something was seen.
constexpr double kMinutesBefore = 30;
constexpr double kUsualUse = 0.5;  // of what may be used, by whoever served before

}  // namespace

MissPrice::MissPrice(double allowed_ratio, double least_usd, double most_usd)
    : allowed_ratio_(allowed_ratio), least_usd_(least_usd), most_usd_(std::max(least_usd, most_usd)) {}

void MissPrice::see_before(const LoadMinute& minute) {
  LoadMinute usual = minute;
  usual.missed = kUsualUse * kUsedMisses * allowed_ratio_ * minute.requests;
  see(usual);
}

void MissPrice::see(const LoadMinute& minute) {
  if (minute.hole) return;
  if (!has_begun_) {
    has_begun_ = true;
    requests_ = kMinutesBefore * minute.requests;
    missed_ = kUsedMisses * allowed_ratio_ * requests_;
  }
  requests_ = kMissMemory * requests_ + minute.requests;
  missed_ = kMissMemory * missed_ + minute.missed;
  recent_requests_ = kRecentMemory * recent_requests_ + minute.requests;
  recent_missed_ = kRecentMemory * recent_missed_ + minute.missed;
}

double MissPrice::used_ratio() const {
  if (!has_begun_) return 1;
  const auto ratio = [](double missed, double may) { return may > 0 ? missed / may : missed > 0 ? 1.0 : 0.0; };
  return std::max(ratio(missed_, kUsedMisses * allowed_ratio_ * requests_),
                  ratio(recent_missed_, kRecentMisses * allowed_ratio_ * recent_requests_));
}

double MissPrice::usd() const {
  const double used = std::clamp(used_ratio(), 0.0, 1.0);
  return least_usd_ * std::pow(most_usd_ / least_usd_, used * used * used);
}

}  // namespace stash
