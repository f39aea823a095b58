#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "stash/core/ledger.h"
#include "stash/predict/reached_rate.h"

namespace stash {

// What more of a resource would save.
struct Worth {
  std::string resource;  // network, storage, ...: the key of --set
  std::string more;      // "10 Gbit/s more"
  double saved_s = 0;    // of a step after the first epoch; below 0: it takes longer
};

// What the input pipeline needs so that a GPU does not wait for it; nullopt: nothing is known of the input.
struct InputNeeds {
  double cores_per_gpu = 0;        // that decode
  double storage_bytes_per_s = 0;  // of a node, while nothing is cached
  // Of the data set on a node, with the storage that is there; nullopt: it needs none, or none is enough
  std::optional<double> cache_bytes;
};

// What a change saves, against the same machine without it; below 0: it costs.
struct Saving {
  double step_s = 0;         // of a step after the first epoch, for as many samples as the changed step has
  double samples_ratio = 1;  // samples of the changed step over those of the other
  std::optional<double> epoch_s;
  std::optional<double> epoch_usd;
};

// Ranks among which a language model is split; their product is the number of GPUs.
struct ModelSplit {
  int data = 1;
  int tensor = 1;
  int pipeline = 1;
};

// The ledger of a job on a machine that you do not have. Intervals hold what is not known of that machine: the time of
// its layers and the rates of its links.
struct Prediction {
  std::string cloud;
  std::string instance;
  std::string gpu;
  int nodes = 1;
  int gpus = 1;                     // of all nodes together, one rank each
  int batch = 0;                    // samples of a rank in one pass forward and backward
  int accumulation = 1;             // such passes a step
  std::optional<ModelSplit> split;  // nullopt: every GPU has the whole model
  std::string dtype;                // fp32, bf16 or fp16
  Ledger ledger;                    // `fetch` is that of a first epoch, `steady_fetch` of the others
  std::optional<double> usd_per_h;  // of all nodes, on demand
  std::optional<double> spot_usd_per_h;
  std::optional<double> epoch_s;  // of an epoch that is not the first; nullopt: samples of an epoch are not known
  std::optional<double> first_epoch_s;
  std::optional<double> epoch_usd;
  double memory_bytes = 0;     // that a GPU needs
  std::string links;           // how the GPUs of a node reach each other: "nvlink"; empty: not known, or there is one
  bool links_known = true;     // false: their rate was neither published, measured nor given
  double job_error_ratio = 0;  // of the variance of compute's interval: what is wrong on every GPU alike
  std::string changes;         // "network=100Gbit/s": what was asked to be otherwise; empty: nothing
  std::string why_not_before;  // why there is nothing to compare a change with, as in Rejected; empty: there is
  std::optional<Saving> saving;
  std::vector<Worth> worth;  // the most first; empty: nobody asked
  std::optional<InputNeeds> needs;
  std::vector<ReachedRate> rates;  // that the collectives rest on
  std::vector<std::string> assumptions;
};

// GPUs that use samples of their own.
inline int data_ranks(const Prediction& prediction) {
  return prediction.split ? prediction.split->data : prediction.gpus;
}

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
