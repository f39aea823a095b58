#pragma once

#include <cstdint>
#include <vector>

#include "stash/serve/batching/model_queue.h"
#include "stash/serve/batching/share_rule.h"
#include "stash/serve/worker/model_worker.h"

namespace stash {

// A GPU that is divided among the workers of several models: each works on some parts of it, as its measured times, its
// rate and its objective ask for. Where that is more than there is, all work on all of it: parts that are too small for
// one are idle while it waits. Used by the thread of the server.
class WorkerPartition {
 public:
  explicit WorkerPartition(SharingWay way) : way_(way) {}

  void add(ModelWorker& worker, ModelQueue& queue) { parts_.push_back({&worker, &queue}); }
  // When it is time: what each model needs now, and the parts that follow. Models that are not there yet count as one
  // that needs nothing.
  void settle(std::int64_t now_ns);
  std::int64_t next_ns() const { return next_ns_; }

 private:
  struct Part {
    ModelWorker* worker;
    ModelQueue* queue;
    std::uint64_t version = 0;  // of the model whose times the queue has
    BatchTimes whole{{{1, 0}}};
    std::vector<BatchTimes> times{};  // by parts
  };
  // Of how many parts the device consists; 0: no model that is divided is there yet.
  int steps() const;
  void take_new_models();
  void give(int steps);
  void give_all();

  SharingWay way_;
  std::vector<Part> parts_;
  std::vector<double> shares_;
  std::int64_t next_ns_ = 0;
};

}  // namespace stash
