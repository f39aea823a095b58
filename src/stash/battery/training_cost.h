#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "stash/battery/battery_folder.h"
#include "stash/battery/summary.h"
#include "stash/catalog/instance.h"
#include "stash/core/ledger.h"

namespace stash {

// Time and cost to train a model for a number of epochs on one machine.
struct TrainingCost {
  std::string model;
  std::string machine;         // of the catalogue, or the name of the battery's folder
  bool measured = false;       // by the battery itself; else predicted from its profile
  std::string case_name = {};  // whose profile it follows from
  int gpus = 0;
  int batch = 0;  // of a GPU
  std::optional<Estimate> time = {};
  std::optional<double> usd = {};
  std::string why = {};  // there is no time: a sentence without a full stop
};

// For each model of the battery: what it measured itself, then a prediction for one node of each instance from the
// profile of the fastest case. The first epoch reads from storage, the others from what is cached.
std::vector<TrainingCost> training_costs(const BatterySummary& summary, const BatteryFolder& folder, int epochs,
                                         std::span<const Instance> instances);

}  // namespace stash
