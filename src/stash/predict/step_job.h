#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "stash/core/ledger.h"
#include "stash/core/profile.h"
#include "stash/models/graph.h"

namespace stash {

// More than any job has; what is beyond is a mistake, and would keep the simulator busy for hours.
inline constexpr int kMostInBatch = 1 << 20;
inline constexpr int kMostMicroBatches = 1 << 16;

// In the order of the forward pass, for a whole micro-batch on one rank.
struct StepLayer {
  double forward_s = 0;
  double backward_s = 0;
  std::int64_t gradient_bytes = 0;
};

// What a rank's input pipeline does. A worker reads a sample and then decodes it, one sample after the other.
struct StepInput {
  double sample_storage_bytes = 0;  // read from storage, where they are not cached
  double sample_cpu_s = 0;          // of one core
  double sample_least_s = 0;        // a worker takes at least this long after the read, as `--inject prep=` has it
  int workers = 1;
  int prefetch = 2;  // batches that may be ready before they are used
};

// How a process group's collectives go beside the computing.
enum class GroupUse {
  blocking,  // every call is waited for
  sharded,   // parameters are gathered one unit ahead, gradients scattered behind the backward pass
  summed,    // gradients go out during the backward pass
  passed_on  // from stage to stage of a pipeline
};

// The collectives of one process group in a step, as a script's ranks issue them.
struct StepGroup {
  std::string name;
  GroupUse use = GroupUse::blocking;
  int ranks = 1;
  int apart = 1;  // neighbours in the group have numbers that differ by this
  std::vector<GroupOperation> operations = {};
};

// One step of a data-parallel job, as every rank runs it. Times are those of a rank that computes alone.
struct StepJob {
  std::vector<StepLayer> layers;
  double optimizer_s = 0;
  double overhead_s = 0;              // of the host in every step, not overlapped
  int batch = 1;                      // samples in a micro-batch of a rank
  int accumulation = 1;               // micro-batches in a step; gradients are summed over ranks in the last only
  int blocking_calls = 0;             // all-reduces of single numbers, like the loss, that every step waits for
  std::vector<std::int64_t> buckets;  // bytes, in the order in which they go out; empty: filled as below
  std::int64_t first_bucket_bytes = 1024 * 1024;  // DistributedDataParallel's
  std::int64_t bucket_bytes = 25 * 1024 * 1024;
  double sample_device_bytes = 0;  // copied to the device
  std::optional<StepInput> input;  // nullopt: unknown; `hot` and `cold` are then absent
  std::vector<StepGroup> groups;   // of a script whose ranks do more than sum gradients; those are in here then
  std::uint64_t seed = 1;          // for what is drawn: which samples are cached
};

// Bytes of the buckets that DistributedDataParallel makes of gradients in the order in which they become ready: one is
// closed by the gradient that fills it.
std::vector<std::int64_t> fill_buckets(std::span<const std::int64_t> gradient_bytes, std::int64_t first_bucket_bytes,
                                       std::int64_t bucket_bytes);

// Layers and buckets of `graph` with the times of `layers`, one for each of its layers; gradients are fp32. What comes
// before the first parameter has no backward pass. Error where a time is unknown.
StepJob make_step_job(const Graph& graph, std::span<const LayerTime> layers, std::int64_t bucket_bytes);

// Error names a figure that is negative, not a number or beyond what can be simulated.
void check(const StepJob& job);

// When the gradients of a micro-batch go out.
struct ReadyBucket {
  double bytes = 0;
  std::size_t layer = 0;  // whose backward pass fills it
  double ready_s = 0;     // after the start of the backward pass
};
struct StepShape {
  double forward_s = 0;
  double backward_s = 0;
  std::vector<ReadyBucket> buckets;
};
StepShape shape_of(const StepJob& job);

}  // namespace stash
