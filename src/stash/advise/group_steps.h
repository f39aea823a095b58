#pragma once

#include <vector>

#include "stash/advise/job_facts.h"
#include "stash/attribute/sync_groups.h"

namespace stash {

// What a script can change about the communication of its process groups, with savings from the ledger and the
// counters; docs/prediction.md has the formulas. Each line works with what the script has: no hook of
// DistributedDataParallel for ranks that shard. Not all are worth it.
std::vector<FirstStep> group_steps(const JobFacts& facts, const Stall& stall);

// Whether DistributedDataParallel sums the gradients, or what is done as it does.
bool sums_like_ddp(const JobFacts& facts);

// Whether DistributedDataParallel takes its hook for bf16 here: it refuses without CUDA and NCCL in torch.
bool takes_bf16_hook(const JobFacts& facts);

}  // namespace stash
