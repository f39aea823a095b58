#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stash/fleet/market/market.h"

namespace stash {

// One minute of the past, as a policy sees it.
struct LoadMinute {
  double requests = 0;
  double peak_5s = 0;  // of the busiest five seconds
  double missed = 0;   // late or refused
  bool hole = false;   // not recorded
  // Of all its requests together, in requests of the usual size; nullopt: their sizes are not known.
  std::optional<double> work{};
};

// Machines of one type, on demand and spot apart.
struct TypeCount {
  int ready = 0;
  int starting = 0;
  int spot_ready = 0;
  int spot_starting = 0;
  double busy_ratio = 0;  // of the devices that are ready, over the last period

  int all() const { return ready + starting + spot_ready + spot_starting; }
};

// What a policy may know when it decides.
struct FleetView {
  double now_s = 0;                     // since the trace began
  std::span<const LoadMinute> minutes;  // all that is over, oldest first
  std::span<const TypeCount> machines;  // by type of the market
};

// How many machines of a type there should be, ready and starting together.
struct WantedType {
  int machines = 0;
  int spot = 0;
};

// What a policy expected of a minute: requests that it stays below with this probability.
struct LoadBand {
  double minute_s = 0;  // when that minute begins, since the trace began
  double p05 = 0, p50 = 0, p95 = 0;
};

// What a policy decides; the same for a replay and for a live fleet.
struct FleetOrder {
  std::vector<WantedType> wanted;  // by type of the market
  bool use_functions = false;      // for what the machines cannot take in time
  std::string reason{};            // one sentence, for the log of decisions
  // Of the minute that its machines are for, where it has one.
  std::optional<LoadBand> forecast{};
};

class FleetPolicy {
 public:
  virtual ~FleetPolicy() = default;
  virtual std::string_view name() const = 0;
  virtual double period_s() const = 0;  // between decisions
  virtual FleetOrder decide(const FleetView& view) = 0;
  virtual double price_ratio() const { return 1; }  // a managed service's premium over the machines' prices
};

}  // namespace stash
