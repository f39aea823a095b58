#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "stash/core/ledger.h"

namespace stash {

// The ledger of a job on a machine that is not at hand. Intervals hold what is not known of that machine: the time of
// its layers and the rates of its links.
struct Prediction {
  std::string cloud;
  std::string instance;
  std::string gpu;
  int nodes = 1;
  int gpus = 1;                     // of all nodes together, one rank each
  int batch = 0;                    // samples of a rank in one pass forward and backward
  int accumulation = 1;             // such passes a step
  Ledger ledger;                    // `fetch` is that of a first epoch, `steady_fetch` of the others
  std::optional<double> usd_per_h;  // of all nodes, on demand
  std::optional<double> spot_usd_per_h;
  std::optional<double> epoch_s;  // of an epoch that is not the first; nullopt: samples of an epoch are not known
  std::optional<double> first_epoch_s;
  std::optional<double> epoch_usd;
  double memory_bytes = 0;  // that a GPU needs
  std::vector<std::string> assumptions;
};

// A machine that cannot run the job, or of which too little is known.
struct Rejected {
  std::string cloud;
  std::string instance;
  int nodes = 1;
  std::string why;  // one sentence without a full stop: "needs 34.1 GB of GPU memory and has 17.2: 16.9 are missing"
};

// One or the other for each machine that was tried.
struct Predictions {
  std::vector<Prediction> predictions;
  std::vector<Rejected> rejected;
};

}  // namespace stash
