#pragma once

#include <optional>
#include <string>
#include <vector>

namespace stash {

// A machine that a plan may order, as a plan counts: on demand or spot.
struct PlanOffer {
  double usd_per_min = 0;
  double per_min = 0;         // requests
  int lead_min = 1;           // from the order to the first request
  int have = 0;               // ready and starting
  int kept = 0;               // of them that may not be stopped yet
  std::vector<int> coming{};  // by minute from now: how many of `have` are still starting then; shorter: none
  bool is_spot = false;
};

// Minutes from `begin_min` from now on that are planned alike, and what may come in each, with its weight.
struct PlanSlot {
  int begin_min = 0;
  int minutes = 1;
  struct Load {
    double requests = 0;
    double weight = 0;
  };
  std::vector<Load> loads;
  std::optional<double> most_by_spot{};  // requests per minute that spot machines may serve; nullopt: all
};

struct PlanQuestion {
  std::vector<PlanOffer> offers;
  std::vector<PlanSlot> slots;
  double usd_per_overflow = 0;  // of a request that no machine takes: a function's price, or what a miss is worth
};

struct PlanAnswer {
  std::vector<int> wanted;    // by offer, ready and starting together, from now on
  double usd = 0;             // of the whole horizon, expected
  double overflow = 0;        // requests, expected
  double overflow_ratio = 0;  // of what is expected to come
};

// The least expected cost over the slots: machines by the minute, their start, and what overflows. What is ordered
// later is planned again. For an order to be possible now, a slot has to begin when it would be ready.
PlanAnswer rolling_plan(const PlanQuestion& question);

}  // namespace stash
