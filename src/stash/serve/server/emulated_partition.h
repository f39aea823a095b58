#pragma once

#include <cstdint>
#include <deque>
#include <functional>

#include "stash/serve/batching/scheduler.h"
#include "stash/serve/batching/share_rule.h"
#include "stash/serve/server/emulated_accelerator.h"

namespace stash {

// An emulated device that is divided among models: each works on batches of its own at the same time, for as long as
// its share of the device makes them. Used by the thread of the server.
class EmulatedPartition {
 public:
  EmulatedPartition(SharingWay way, std::function<void(PendingRequest&, const Refusal&)> done)
      : way_(way), done_(std::move(done)) {}

  void add(Scheduler& scheduler, ServedModel model);
  // After all were added, and when it is time: what each model needs now, and the shares that follow.
  void settle(std::int64_t now_ns);
  std::int64_t next_ns() const { return next_ns_; }

  std::size_t size() const { return parts_.size(); }
  int wake_fd(std::size_t place) const { return parts_[place].accelerator.wake_fd(); }
  void take_wake(std::size_t place) { parts_[place].accelerator.take_wake(); }

 private:
  struct Part {
    EmulatedAccelerator accelerator;
    SchedulerWorld world;
    WorldDevice device{world};
    ModelQueue* queue = nullptr;
    BatchTimes times{{{1, 0}}};  // on all of the device
  };

  SchedulerWorld world_of(Part& part) const;
  void give(const std::vector<double>& shares);

  SharingWay way_;
  std::function<void(PendingRequest&, const Refusal&)> done_;
  std::deque<Part> parts_;
  std::vector<double> shares_;
  std::int64_t next_ns_ = 0;
};

}  // namespace stash
