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
#include "stash/serve/batching/model_queue.h"
#include "stash/serve/protocol/http_answer.h"

namespace stash {

// What a scheduler needs of the world, so that it runs in real time and in simulated time.
struct SchedulerWorld {
  std::function<std::int64_t()> now_ns;
  std::function<void(std::int64_t start_ns, std::int64_t work_ns, CompletionWay way)> start;  // the device
  std::function<bool(std::int64_t now_ns)> is_noticed;                                        // that it is done
  std::function<std::int64_t()> finish_ns;
  std::function<std::int64_t()> look_ns;  // when is_noticed may have changed
  // The end of a request: answered, or refused after all. Its times are set up to noticed_ns.
  std::function<void(PendingRequest&, const Refusal&)> done;
};

// Several models on one device: which requests become the next batch. Used by one thread.
class Scheduler {
 public:
  Scheduler(SchedulerWorld world, const ServeSettings& settings) : world_(std::move(world)), settings_(settings) {}

  ModelQueue& add(ServedModel model);  // loaded; UsageError where its name is taken or the objective cannot be met
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
  bool is_busy() const { return !batch_.empty(); }
  double busy_s() const { return seconds(busy_ns(world_.now_ns())); }  // ever

 private:
  void finish_batch(std::int64_t now_ns);
  void dispatch_due(std::int64_t now_ns);
  void begin(ModelQueue& queue, std::int64_t now_ns);
  void gather(const ModelQueue& queue);
  std::string_view output_of(const PendingRequest& request);
  std::int64_t busy_ns(std::int64_t now_ns) const;
  int rows_of_others(const ModelQueue& queue) const;

  SchedulerWorld world_;
  ServeSettings settings_;
  std::deque<ModelQueue> models_;  // which stay where they are
  std::vector<PendingRequest*> batch_;
  std::vector<char> batch_bytes_;
  std::string output_;
  std::int64_t begun_ns_ = 0;  // of the batch
  std::int64_t free_ns_ = 0;   // the device, since; or when it is expected to be
  std::int64_t busy_before_ns_ = 0;
  double overhead_s_ = 0;  // of a batch beside T(b), as of late
};

}  // namespace stash
