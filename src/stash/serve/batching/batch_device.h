#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "stash/serve/batching/model_queue.h"
#include "stash/serve/batching/serve_settings.h"
#include "stash/serve/protocol/http_answer.h"

namespace stash {

// A batch that a device is to work on. The requests stay where they are until its end.
struct BatchJob {
  const ServedModel* model = nullptr;
  std::span<PendingRequest* const> requests{};
  int rows = 0;
  std::int64_t start_ns = 0;
  std::int64_t work_ns = 0;  // what it is expected to take
  CompletionWay completion = CompletionWay::event;
  InputWay input = InputWay::direct;
  LaunchWay launch = LaunchWay::graphs;
};

// How a batch ended. Parts of the time from its start to finish_ns; what is left of it was computing.
struct BatchEnd {
  std::int64_t finish_ns = 0;
  std::optional<std::int64_t> copy_in_ns{}, launch_ns{}, copy_out_ns{};
  Refusal failure{};  // of all its requests
};

// What works on batches, one at a time. Used by the thread of the scheduler.
class BatchDevice {
 public:
  virtual ~BatchDevice() = default;
  virtual void gather(const BatchJob& job) = 0;  // copies the requests' tensors into memory of the batch
  virtual void start(const BatchJob& job) = 0;
  virtual bool is_noticed(std::int64_t now_ns) = 0;  // that the batch has ended
  virtual std::int64_t look_ns() const = 0;          // when is_noticed may have changed without an event
  virtual BatchEnd end() = 0;
  // What a request gets, until the next call; or why it gets nothing.
  virtual std::string_view output_of(const PendingRequest& request, Refusal& refusal) = 0;
};

}  // namespace stash
