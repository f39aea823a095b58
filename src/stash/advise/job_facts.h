#pragma once

#include "stash/advise/first_step.h"
#include "stash/advise/stalls.h"
#include "stash/core/profile.h"

namespace stash {

// What every suggestion needs to know of a profile. The profile and the ledger must outlive it.
struct JobFacts {
  JobFacts(const Profile& profile, const Ledger& ledger);

  const Profile& profile;
  const Ledger& ledger;
  int nodes = 1;
  int ranks_per_node = 1;
  bool is_script = false;
  bool computes_on_cpu = false;
  int most_workers = 0;  // of a rank: as many as it has cores; 0: none is free
};

// The rate of a node's storage with which reading no longer holds up the step, and what the stall is then.
struct StorageNeed {
  double bytes_per_s = 0;
  double left_s = 0;
};
// nullopt: what a sample takes is not known.
std::optional<StorageNeed> storage_need(const JobFacts& facts, const Stall& fetch);

// What makes batches in a script: a function that --input named, else a loader. Empty: a loader.
std::string input_function(const JobFacts& facts);

// What to do, in words, for what is to be filled in with what it saves.
FirstStep more_workers(const JobFacts& facts, const Stall& stall, int workers);
FirstStep faster_storage(const JobFacts& facts, const Stall& stall, double bytes_per_s);
FirstStep larger_cache(const JobFacts& facts, const Stall& stall, double cache_bytes);
std::string workers_setting(const JobFacts& facts, int workers);
std::string larger_batch(const JobFacts& facts, int samples);
FirstStep compressed_gradients(const Stall& stall, bool with_bf16, const std::string& group = {});
FirstStep accumulated_gradients(const Stall& stall);

}  // namespace stash
