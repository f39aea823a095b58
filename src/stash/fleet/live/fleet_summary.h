#pragma once

#include <optional>
#include <string>
#include <vector>

#include "stash/fleet/live/fleet_bill.h"
#include "stash/fleet/live/fleet_controller.h"
#include "stash/fleet/live/fleet_record.h"
#include "stash/fleet/live/load_book.h"

namespace stash {

// What a live fleet did.
struct FleetSummary {
  std::string model;
  std::string policy;
  std::string provider;
  std::string address;
  FleetObjective objective;
  double speed = 1;
  double duration_s = 0;  // of the fleet's clock
  double unknown_s = 0;   // minutes of it whose load is not known
  LoadCounts counts;
  // Of the answered; nullopt: nothing is known of them.
  std::optional<double> mean_s{}, p50_s{}, p90_s{}, p99_s{};
  std::vector<BillRow> bill;
  std::vector<FleetChange> changes;
  std::string trouble;  // that it is in; empty: none
  int ready = 0;
  int starting = 0;

  double usd() const;
  std::optional<double> missed_ratio() const;  // nullopt: there were no requests
};

FleetSummary summarize(FleetController& controller, const Market& market, const FleetPolicy& policy,
                       const FleetObjective& objective, double speed);

}  // namespace stash
