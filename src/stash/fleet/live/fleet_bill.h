#pragma once

#include <map>
#include <string>
#include <vector>

#include "stash/fleet/live/live_machine.h"
#include "stash/fleet/market/market.h"

namespace stash {

// What machines of one type have cost; on demand and spot apart.
struct BillRow {
  std::string type;
  bool spot = false;
  int machines = 0;
  double hours = 0;  // billed: from the order to the end, at least what is billed at least
  double usd = 0;
};

// A machine that is being paid.
struct PaidMachine {
  int type = 0;
  bool spot = false;
  double since_s = 0;
};

// What a live fleet has cost so far, at the prices of the market. Times are seconds of the fleet's clock.
class FleetBill {
 public:
  FleetBill(const Market& market, double price_ratio) : market_(&market), price_ratio_(price_ratio) {}

  // What is there now; who is there no more has ended. Machines that were never seen before are paid from `now_s` on.
  void observe(double now_s, const std::vector<LiveMachine>& machines);

  std::vector<BillRow> rows(double now_s) const;
  double usd(double now_s) const;

  std::map<std::string, PaidMachine> paid{};  // by id; what is kept of a fleet between controllers
  std::vector<BillRow> ended{};               // machines that are gone, by type

 private:
  void add(std::vector<BillRow>& rows, const PaidMachine& machine, double now_s) const;

  const Market* market_;
  double price_ratio_;
};

}  // namespace stash
