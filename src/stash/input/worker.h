#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <span>

#include "stash/input/batch_buffers.h"
#include "stash/input/batch_queue.h"
#include "stash/input/dataset/dataset.h"
#include "stash/input/sample_maker.h"
#include "stash/input/sample_reader.h"
#include "stash/input/sampler.h"
#include "stash/input/skip_log.h"
#include "stash/input/storage_clock.h"

namespace stash {

// Sums over the workers of a pipeline.
struct StageCounters {
  std::atomic<std::int64_t> samples{0}, read_bytes{0}, cold_bytes{0}, read_ns{0}, decode_ns{0}, augment_ns{0},
      injected_ns{0};
};

// What the workers of a pipeline share with it and with each other.
struct PipelineState {
  std::shared_ptr<const Dataset> dataset;
  SampleSpec spec;
  Sampler sampler;
  BatchQueue queue;
  BatchBuffers buffers;
  std::optional<StorageClock> storage{};  // slowed down on purpose
  std::int64_t prep_ns_per_sample = 0;    // at least, on purpose
  double cpu_ratio = 1;                   // of a sample, over what making it takes
  std::atomic<bool> cold{false};          // changes only while paused
  SkipLog skips{};
  StageCounters counters{};
  std::mutex failure_mutex{};
  std::exception_ptr failure{};  // the first one; ends the pipeline
};

// A thread of the pipeline: takes tickets, makes samples, until the queue is stopped or something fails.
class Worker {
 public:
  Worker(PipelineState& state, int number);
  void run();

 private:
  void make_sample(const Ticket& ticket);
  bool try_sample(const Ticket& ticket, std::int64_t index);  // false: the sample is broken and was counted
  void make_as_loader(std::span<const std::uint8_t> bytes, const Ticket& ticket, MakeTime& time);
  void fill_injected_time();

  PipelineState& state_;
  int number_;
  SampleReader reader_;
  std::unique_ptr<SampleMaker> maker_;
  SampleLocation location_;
  // On the worker's own time line, on which what is injected takes exactly its time.
  std::int64_t free_ns_ = 0;        // since the last sample
  std::int64_t prep_start_ns_ = 0;  // of the current sample
};

}  // namespace stash
