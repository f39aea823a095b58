#include "stash/fleet/policy/fleet_offers.h"

#include <algorithm>
#include <cmath>

namespace stash {
namespace {

FleetOffer offer_of(const MachineType& machine, const RatedType& rated, double capacity_ratio, bool is_spot) {
  const double usd_per_hour = is_spot ? *machine.spot_usd_per_hour : machine.usd_per_hour;
  return {.type = rated.type,
          .is_spot = is_spot,
          .usd_per_min = usd_per_hour / 60,
          .per_min = rated.per_min() * capacity_ratio,
          .lead_min = static_cast<int>(std::ceil(machine.start.median_s() / 60 - 1e-9)),
          .least_min = static_cast<int>(std::ceil(machine.least_billed_s / 60 - 1e-9)),
          .interruptions_per_min = is_spot ? machine.interruptions_per_hour / 60 : 0};
}

// As many of `other` as take what one takes cost no more, and start as soon.
bool is_dominated_by(const FleetOffer& one, const FleetOffer& other) {
  if (other.lead_min > one.lead_min || other.least_min > one.least_min || other.is_spot != one.is_spot) return false;
  return other.usd_per_min * std::ceil(one.per_min / other.per_min - 1e-9) <= one.usd_per_min;
}

}  // namespace

std::vector<FleetOffer> fleet_offers(const Market& market, std::span<const RatedType> rated, double capacity_ratio) {
  std::vector<FleetOffer> all;
  for (const RatedType& one : rated) {
    const MachineType& machine = market.machines[one.type];
    all.push_back(offer_of(machine, one, capacity_ratio, false));
    if (machine.spot_usd_per_hour) all.push_back(offer_of(machine, one, capacity_ratio, true));
  }
  std::vector<FleetOffer> useful;
  for (std::size_t i = 0; i < all.size(); ++i) {
    bool is_useful = true;
    for (std::size_t j = 0; j < all.size() && is_useful; ++j) {
      if (i == j || !is_dominated_by(all[i], all[j])) continue;
      is_useful = is_dominated_by(all[j], all[i]) && i < j;  // equals: the first one stays
    }
    if (is_useful) useful.push_back(all[i]);
  }
  return useful;
}

}  // namespace stash
