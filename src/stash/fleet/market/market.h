#pragma once

#include <optional>
#include <string>
#include <vector>

#include "stash/fleet/market/start_time.h"
#include "stash/serve/model/batch_times.h"

namespace stash {

// What is promised to those who ask: this share of all requests within this latency. Refused ones count as missed.
struct FleetObjective {
  double latency_s = 0.2;
  double meet_ratio = 0.98;
};

// A machine that can be rented to serve one model, with T(b) of that model. Prices are in dollars per hour.
struct MachineType {
  std::string name;
  double usd_per_hour = 0;
  std::optional<double> spot_usd_per_hour{};
  double interruptions_per_hour = 0;  // of a spot machine; each takes it away
  StartTime start;
  double least_billed_s = 60;  // a machine costs at least this long
  int devices = 1;             // GPUs, or groups of cores, that work on batches independently
  BatchTimes times;
  double times_spread_ratio = 0;     // 95 % of T(b) lie within this share of it; 0: measured
  std::string source{};              // where T(b) and the price come from, with a date
  double managed_price_ratio = 1.4;  // what a managed service charges for it, over its price
  bool has_gpu = true;
  int most_batch = 32;  // of a server on it, whatever the objective allows
};

// A function service: starts in seconds, is billed by use, and costs more.
struct FunctionType {
  std::string name;
  double usd_per_s = 0;  // while a call works
  double usd_per_request = 0;
  double work_s = 0;  // of one request
  VaryingTime cold_start;
  double kept_warm_s = 300;  // after a call
  std::string source;
};

// Everything that can be rented for one model.
struct Market {
  std::string model;
  std::vector<MachineType> machines;
  std::vector<FunctionType> functions;
};

}  // namespace stash
