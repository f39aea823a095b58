#pragma once

#include <string>
#include <vector>

#include "stash/predict/prediction.h"

namespace stash::testing_support {

// A step of 100 ms on one node, of which 60 compute; on more nodes the network takes 50 ms more.
inline Prediction predicted(const std::string& instance, const std::string& gpu, int nodes, double speed,
                            double usd_per_h) {
  Prediction prediction;
  prediction.cloud = "aws";
  prediction.instance = instance;
  prediction.gpu = gpu;
  prediction.nodes = nodes;
  prediction.gpus = 8 * nodes;
  prediction.batch = 64;
  const auto part = [&](double s) { return Estimate{s / speed, s / speed * 0.9, s / speed * 1.1}; };
  Ledger& ledger = prediction.ledger;
  ledger[Part::compute] = part(0.06);
  ledger[Part::contention] = part(0.004);
  ledger[Part::interconnect] = part(0.03);
  if (nodes > 1) ledger[Part::network] = part(0.05);
  ledger[Part::prep] = part(0.006);
  ledger.step = part(nodes > 1 ? 0.15 : 0.1);
  ledger.step_by_condition[Condition::solo] = part(0.06);
  ledger.step_by_condition[Condition::cold] = ledger.step;
  prediction.usd_per_h = usd_per_h;
  const double steps = 1281167.0 / prediction.gpus / 64;
  prediction.epoch_s = prediction.first_epoch_s = steps * ledger.step.s;
  prediction.epoch_usd = *prediction.epoch_s / 3600 * usd_per_h;
  prediction.memory_bytes = 9e9;
  prediction.assumptions = {"the host copies batches in time", "layer times of " + gpu + " are scaled"};
  return prediction;
}

inline Predictions three_predicted() {
  return {{predicted("p3.16xlarge", "V100", 1, 1, 24.48), predicted("p3.16xlarge", "V100", 2, 1, 48.96),
           predicted("p4d.24xlarge", "A100", 1, 2.2, 32.77)},
          {{"aws", "p2.xlarge", 1, "needs 17 GB of GPU memory and has 12: 5 are missing"},
           {"aws", "p2.xlarge", 2, "needs 17 GB of GPU memory and has 12: 5 are missing"},
           {"aws", "g4dn.xlarge", 1, "its network rate is not known"}}};
}

}  // namespace stash::testing_support
