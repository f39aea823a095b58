#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stash/core/condition.h"
#include "stash/core/fix.h"
#include "stash/core/job.h"
#include "stash/core/link_time.h"
#include "stash/core/machine.h"
#include "stash/core/script_facts.h"
#include "stash/core/script_work.h"
#include "stash/core/trace.h"
#include "stash/core/variant.h"

namespace stash {

inline constexpr int kProfileSchemaVersion = 1;

// One rank in one window.
struct RankSample {
  double wall_s = 0;        // from the common start to the device being idle, all steps
  double input_wait_s = 0;  // of it, waiting for batches
  double collective_s = 0;  // sum over collectives of the time from issue to completion; they overlap compute
  // How late it came to a step's collectives, against the median of the others.
  std::optional<double> behind_s = std::nullopt;
  bool operator==(const RankSample&) const = default;
};

// `steps` consecutive steps under one condition.
struct Window {
  int round = 0;  // from 0
  Condition condition = Condition::solo;
  int steps = 0;
  std::vector<std::optional<RankSample>> ranks;  // by rank; null where the rank waited (solo)
  std::optional<double> resident_ratio;          // share of the pages about to be read that was cached, before it
  std::optional<double> queued_start_samples;    // rank 0's input queue when the clock started and stopped
  std::optional<double> queued_end_samples;
  std::string variant = {};  // the name of a change to the condition; empty: the plain one
  bool operator==(const Window&) const = default;
};

// A layer's own time, measured alone on rank 0 (or given by the emulated accelerator).
struct LayerTime {
  std::string name;
  std::string op;
  std::int64_t parameters = 0;
  double forward_ops = 0;  // whole batch
  double backward_ops = 0;
  double forward_bytes = 0;
  double backward_bytes = 0;
  std::optional<double> forward_s;
  std::optional<double> backward_s;
  bool operator==(const LayerTime&) const = default;
};

// Where a rank runs.
struct RankPlace {
  std::string host;
  int node = 0;  // ranks with the same number share a machine
  bool operator==(const RankPlace&) const = default;
};

struct Bucket {
  std::int64_t bytes = 0;
  int parameters = 0;  // tensors
  bool operator==(const Bucket&) const = default;
};

// Collectives of one kind and size under one condition on one rank.
struct CollectiveSummary {
  int rank = 0;
  Condition condition = Condition::joined;
  std::string op;  // allreduce, broadcast, ...
  std::int64_t bytes = 0;
  std::int64_t count = 0;
  double total_s = 0;  // issue to completion
  double min_s = 0;
  double max_s = 0;
  std::string group = {};  // of a script: a name of Profile::groups; empty: unknown
  bool operator==(const CollectiveSummary&) const = default;
};

// The process groups of one name, which are counted and switched as one: a mesh has one for each of its rows.
struct CommGroup {
  std::string name;                  // as the script gave it
  std::vector<std::string> used_by;  // `DDP`, `FSDP`
  int groups = 1;                    // how many there are
  int ranks = 1;                     // of the largest of them
  int ranks_per_node = 1;            // of one of them, on the node where it has most
  bool between_nodes = false;        // some of them has ranks on several nodes
  std::string left_out = {};         // why it was not switched off alone; empty: it was, or it is the only busy one
  bool operator==(const CommGroup&) const = default;
};

// What the input pipeline of one rank did in all input windows.
struct InputCounters {
  int rank = 0;
  std::int64_t samples = 0;
  std::int64_t read_bytes = 0;
  std::int64_t cold_bytes = 0;  // of them, not in the page cache
  double read_s = 0;            // summed over workers
  double decode_s = 0;
  double augment_s = 0;
  std::int64_t skipped = 0;                // files that could not be decoded
  std::vector<std::string> skipped_files;  // at most 16 of their names
  double injected_s = 0;                   // slept by workers, as `--inject prep=` has it
  bool operator==(const InputCounters&) const = default;
};

enum class StoppedBy { precision, time, interrupted, fault };
std::string_view to_string(StoppedBy reason);

struct Profile {
  Job job;
  Machine machine;                      // of rank 0
  std::vector<RankPlace> places;        // by rank; empty: all on that machine
  std::vector<Window> windows;          // of plain conditions
  std::vector<Window> variant_windows;  // of the same rounds, with a change
  double edge_s = 0;                    // what a window's two edges cost, from the pilot
  std::optional<double> clocks_s;       // how far the ranks' clocks may be apart after aligning them; absent: one rank
  std::vector<LayerTime> layers;
  std::optional<ScriptFacts> script;  // of a script
  std::optional<ScriptWork> work;     // of a script, where it was recorded
  std::vector<Bucket> buckets;
  std::vector<CommGroup> groups;  // of a script
  std::vector<TriedFix> tried;    // where fixes were asked for
  std::vector<CollectiveSummary> collectives;
  std::vector<InputCounters> inputs;
  std::vector<LinkTime> links;
  std::vector<WindowTrace> traces;              // one for each condition
  std::optional<std::int64_t> dataset_samples;  // where they can be counted
  std::optional<std::int64_t> dataset_bytes;    // of all of them together
  std::optional<std::int64_t> cache_bytes;      // that the page cache of one node can grow to beside the job
  std::optional<double> loss;  // mean over ranks after the last step; absent on the emulated accelerator
  StoppedBy stopped_by = StoppedBy::fault;
  bool complete = false;               // false: windows are missing because of a fault or an interruption
  double elapsed_s = 0;                // launch to end
  std::optional<double> stolen_ratio;  // of the CPU time meanwhile, by other tenants of the host
  std::vector<std::string> warnings;
  bool operator==(const Profile&) const = default;
};

// Where it belongs.
void add_window(Profile& profile, Window window);

const std::string& host_of(const Profile& profile, int rank);
const std::string& host_of_node(const Profile& profile, int node);

int count_nodes(const std::vector<RankPlace>& places);  // 1 where nothing is known

}  // namespace stash
