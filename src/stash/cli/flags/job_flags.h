#pragma once

#include <optional>
#include <string>

#include "stash/core/job.h"
#include "stash/launch/placement.h"
#include "stash/models/graph.h"

namespace CLI {
class App;
}

namespace stash {

// A job as it stands on the command line; what is not given follows from the machine.
struct JobFlags {
  std::optional<std::string> model;
  std::optional<int> batch;
  std::optional<int> image_size;
  std::optional<int> seq_len;
  std::optional<std::string> device;
  std::string dtype = "fp32";
  bool channels_last = false;
  std::optional<int> ranks;
  std::optional<std::string> backend;
  std::string bucket = "25MiB";
  std::string data;
  std::optional<int> workers;
  int prefetch = 2;
  std::string conditions;
  std::string precision = "2%";
  std::string max_time = "120s";
  int rounds = 0;
  std::uint64_t seed = 1;
  std::string inject;

  void add_to(CLI::App& app);
  // The job, checked against the models, the devices and the machine. UsageError names the flag at fault.
  Job resolve(int gpus, int cores, const std::optional<Placement>& placement) const;

 private:
  int all_ranks(int gpus, bool on_gpus, const std::optional<Placement>& placement) const;
};

// A comma list of conditions, in the chain's order; UsageError names the nearest.
std::vector<Condition> parse_conditions(const std::string& list);

// The job's network; UsageError for what it cannot be.
Graph graph_of(const Job& job);

// Why a rank's training does not fit into the memory of a GPU; empty: it does.
std::string gpu_misfit(const Job& job, const Graph& graph, std::string_view gpu, double memory_bytes);

// Error when this host's ranks cannot fit in `available_bytes` of its memory; says how much there is.
void check_memory(const Job& job, const Graph& graph, int ranks_here, double available_bytes);

}  // namespace stash
