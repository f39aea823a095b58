#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "stash/input/pipeline.h"
#include "stash/launch/pool/pool_member.h"
#include "stash/launch/trained_so_far.h"
#include "stash/measure/engine/batch_source.h"
#include "stash/measure/rank.h"
#include "stash/ruler/control.h"
#include "stash/ruler/workload.h"

namespace stash {

// The rank's place in the pool of its order; null: the order names none.
std::unique_ptr<PoolMember> join_pool(const RankSetup& setup, int workers);

// What a rank trains with; all of it outlives the training.
struct TrainingParts {
  const Job& job;                 // max_time_s is the limit
  std::optional<double> samples;  // of all ranks
  Control& control;
  Workload& workload;
  BatchSource& batches;
  Pipeline& pipeline;
  PoolMember* member;  // null: no pool
  std::function<bool()> stop;
  std::function<void(const TrainedSoFar&)> tell;  // now and then, and at the end
};

// Trains until there were enough samples, the time is over or some rank is to stop; in step with the others.
void train_on(const TrainingParts& parts);

}  // namespace stash
