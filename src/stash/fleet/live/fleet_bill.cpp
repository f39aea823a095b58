#include "stash/fleet/live/fleet_bill.h"

#include <algorithm>
#include <set>

#include "stash/core/units.h"

namespace stash {

void FleetBill::observe(double now_s, const std::vector<LiveMachine>& machines) {
  std::set<std::string_view> here;
  for (const LiveMachine& one : machines) {
    here.insert(one.id);
    paid.try_emplace(one.id, PaidMachine{one.type, one.spot, now_s});
  }
  std::erase_if(paid, [&](const auto& entry) {
    if (here.contains(entry.first)) return false;
    add(ended, entry.second, now_s);
    return true;
  });
}

std::vector<BillRow> FleetBill::rows(double now_s) const {
  std::vector<BillRow> all = ended;
  for (const auto& [id, machine] : paid) add(all, machine, now_s);
  return all;
}

double FleetBill::usd(double now_s) const {
  double sum = 0;
  for (const BillRow& row : rows(now_s)) sum += row.usd;
  return sum;
}

void FleetBill::add(std::vector<BillRow>& rows, const PaidMachine& machine, double now_s) const {
  const MachineType& type = market_->machines.at(static_cast<std::size_t>(machine.type));
  auto row =
      std::ranges::find_if(rows, [&](const BillRow& one) { return one.type == type.name && one.spot == machine.spot; });
  if (row == rows.end()) row = rows.insert(rows.end(), {.type = type.name, .spot = machine.spot});
  const double price = machine.spot ? type.spot_usd_per_hour.value_or(type.usd_per_hour) : type.usd_per_hour;
  const double hours = std::max(now_s - machine.since_s, type.least_billed_s) / kSecondsPerHour;
  ++row->machines;
  row->hours += hours;
  row->usd += hours * price * price_ratio_;
}

}  // namespace stash
