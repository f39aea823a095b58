#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stash/core/clock.h"
#include "stash/serve/batching/batch_device.h"
#include "stash/serve/batching/model_queue.h"
#include "stash/serve/batching/world_device.h"
#include "stash/serve/protocol/http_answer.h"

namespace stash {

// Several models on one device, or on devices of their own: which requests become the next batch. Used by one thread.
class Scheduler {
 public:
  Scheduler(SchedulerWorld world, const ServeSettings& settings);
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  // Loaded; on the world's device. UsageError where its name is taken or the objective cannot be met.
  ModelQueue& add(ServedModel model);
  // On a device of its own, which outlives the scheduler; loaded.
  ModelQueue& add(ServedModel model, BatchDevice& device);
  // On a device of its own, with what loads it; both outlive the scheduler.
  ModelQueue& add(ServedModel model, BatchDevice& device, ModelLoader& loader);
  ModelQueue* find(std::string_view name);
  const std::deque<ModelQueue>& models() const { return models_; }
  std::deque<ModelQueue>& models() { return models_; }

  const ServeSettings& settings() const { return settings_; }
  void set(const ServeSettings& settings);

  // Takes a request, or says at once why not: it could not be in time, or too many wait.
  Refusal submit(PendingRequest& request);
  // Of a request whose sender is gone; false: it is in a batch, and its end will be told.
  bool withdraw(PendingRequest& request);
  // Ends what is done, begins what is due.
  void advance();
  // When to call advance() again; the largest number: when something comes.
  std::int64_t next_ns() const;
  bool is_busy() const;
  double busy_s() const;  // ever, of all devices together

 private:
  // A device, and the batch that it works on.
  struct Lane {
    BatchDevice* device = nullptr;
    std::vector<PendingRequest*> batch{};
    std::int64_t begun_ns = 0;  // of the batch
    std::int64_t work_ns = 0;   // that it is expected to take
    std::int64_t free_ns = 0;   // since; or when it is expected to be
    std::int64_t busy_before_ns = 0;
    double overhead_s = 0;  // of a batch beside T(b), as of late

    bool is_busy() const { return !batch.empty(); }
    std::int64_t busy_ns(std::int64_t now_ns) const { return busy_before_ns + (is_busy() ? now_ns - begun_ns : 0); }
  };

  ModelQueue& add_loaded(std::size_t lane, ServedModel model);
  ModelQueue& add_to(std::size_t lane, ServedModel model, ModelLoader* loader);
  Lane& lane_of(const ModelQueue& queue) { return lanes_[queue.lane()]; }
  void advance_loading(std::int64_t now_ns);
  void finish_batch(Lane& lane, std::int64_t now_ns);
  void dispatch_due(std::size_t lane, std::int64_t now_ns);
  void begin(Lane& lane, ModelQueue& queue, std::int64_t now_ns);
  int rows_of_others(const ModelQueue& queue) const;

  SchedulerWorld world_;
  WorldDevice world_device_;
  ServeSettings settings_;
  std::deque<ModelQueue> models_;  // which stay where they are
  std::deque<Lane> lanes_;         // the first one is the world's
};

}  // namespace stash
