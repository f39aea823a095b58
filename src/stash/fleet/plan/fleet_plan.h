#pragma once

#include <optional>
#include <string>
#include <vector>

#include "stash/fleet/market/market.h"
#include "stash/fleet/policy/fleet_policy.h"
#include "stash/fleet/traffic/load_trace.h"

namespace stash {

// A machine of the market in a plan.
struct PlannedType {
  std::size_t index = 0;  // of the market, and of the machines of an hour
  std::string name;
  double usd_per_hour = 0;
  std::optional<double> per_s{}, low_per_s{}, high_per_s{};  // that one takes; nullopt: not even one request in time
  int batch = 0;
  std::optional<double> usd_per_million{};  // where it has all that it can take
  double hours = 0;
  int most = 0;  // at a time
  std::string why;
  std::string source;
};

// An hour of the planned day, or what there is of it.
struct PlannedHour {
  double begin_s = 0;  // on the clock of the trace
  double requests = 0;
  double most_per_min = 0;
  std::optional<double> forecast_per_min{};  // the largest 95 % quantile that machines were ordered for
  std::vector<int> fewest, most;             // machines by type
  double usd = 0;
  double missed = 0;
  double by_function = 0;
};

// A few minutes of the planned day, for pictures: means.
struct PlannedStretch {
  double begin_s = 0;               // on the clock of the trace
  std::optional<double> per_min{};  // requests; nullopt: not recorded
  double capacity_per_min = 0;
  std::vector<double> machines;        // by type
  std::optional<LoadBand> forecast{};  // of these minutes, as made when machines had to be ordered for them
};

// What another dollar a day would buy.
struct NextDollar {
  std::string what;  // "one more p2.xlarge all day"
  double usd_per_day = 0;
  double fewer_missed = 0;
};

struct FleetPlan {
  std::string model;
  std::string market;
  std::string trace;
  FleetObjective objective;
  double begin_s = 0;
  double duration_s = 0;  // recorded
  double usd = 0;
  double requests = 0, missed = 0, by_function = 0, function_usd = 0;
  std::string function;  // empty: none is used
  std::vector<PlannedType> types;
  std::vector<PlannedHour> hours;
  std::vector<PlannedStretch> stretches;
  std::vector<NextDollar> next;  // what avoids most misses per dollar first
  std::optional<double> best_single_usd{}, peak_usd{};
  std::vector<std::string> assumptions;
  std::vector<std::string> warnings;

  double missed_ratio() const { return requests > 0 ? missed / requests : 0; }
  bool meets() const { return missed_ratio() <= 1 - objective.meet_ratio; }
};

// The last day of a trace as the policy `stash` would rent machines for it, minute by minute, with forecasts from what
// came before each minute. UsageError where no machine can meet the objective, naming the nearest one.
FleetPlan plan_fleet(const Market& market, const LoadTrace& trace, const FleetObjective& objective);

}  // namespace stash
