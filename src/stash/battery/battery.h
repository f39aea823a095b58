#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stash/core/job.h"
#include "stash/models/graph.h"

namespace stash {

// One profile of a battery.
struct Case {
  std::string name;  // of its files: resnet18-b64-r2-n1-emulated-v100-fp32
  Job job;           // without data: the default data set
  int nodes = 1;
  std::string why_not;  // a sentence without a full stop: it cannot run; empty: it can
  bool operator==(const Case&) const = default;
};

// The cases of a folder in the order in which they are run, and what the figures of its summary need.
struct Battery {
  std::vector<Case> cases;
  std::optional<int> machines = {};     // on which a launcher starts the ranks; absent: this one alone
  std::optional<double> usd_per_h;      // of all these machines together
  std::optional<double> epoch_samples;  // of every model; absent: as the data tells
  std::string instance;                 // of the catalogue, that this machine is; empty: none
  bool operator==(const Battery&) const = default;
};

// What a battery varies: every combination is a case.
struct Axes {
  std::vector<std::string> models;
  std::vector<int> batches;  // empty: default_batches() of each model
  std::vector<int> ranks;
  std::vector<int> nodes;
};

// A combination.
struct Combination {
  std::string model;
  int batch = 0;
  int ranks = 0;
  int nodes = 0;
  bool operator==(const Combination&) const = default;
};

// A comma list of models, in which small, large and all stand for those of the Stash study. UsageError names the
// nearest.
std::vector<std::string> parse_models(const std::string& list);

// Batch sizes that the study and its readers use: three of images, or two of sequences, whose steps are long.
std::vector<int> default_batches(InputKind input);

// So that what is known grows fastest: every model at its middle batch, with all ranks, on the fewest nodes; then every
// model with one of these moved to an end; then the rest. docs/cli/characterize.md.
std::vector<Combination> ordered_combinations(const Axes& axes);

// Fit for a file; tells apart what a battery varies, the device and the precision.
std::string case_name(const Job& job, int nodes);

// True where a profile of `measured` on `nodes` nodes is what the case asks for. How long it was measured is not asked,
// nor where the default data set lies.
bool is_of_case(const Case& wanted, const Job& measured, int nodes);

// UsageError where the folder's plan is of other machines: its figures and prices would be mixed up.
void check_same_machines(const Battery& battery, const Battery& older, const std::string& folder);

// `newer` with those cases of `older` after its own that it does not have.
Battery merged(Battery newer, const Battery& older);

}  // namespace stash
