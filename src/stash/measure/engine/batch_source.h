#pragma once

#include <deque>
#include <memory>
#include <optional>

#include "stash/input/pipeline.h"
#include "stash/measure/engine/network.h"
#include "stash/measure/span_log.h"

namespace stash {

// Where a step's batch comes from: device memory, host memory, or the input pipeline.
class BatchSource {
 public:
  // Without a pipeline (`pipeline` null) batches are random.
  BatchSource(const Graph& graph, const Job& job, Device& device, Pipeline* pipeline, SpanLog& spans);
  ~BatchSource();

  const Batch& resident() const { return resident_; }  // used again and again
  const Batch& staged();                               // copied from pinned memory
  const Batch& next();                                 // prepared by the pipeline, copied where there is a device
  void finish();                                       // gives every buffer back to the pipeline
  double waited_s() const { return waited_s_; }        // in next(), since the start

 private:
  struct InFlight;
  Batch view(const BatchView& prepared) const;
  Batch to_device(const Batch& batch) const;
  const Batch& copied(const Batch& batch);
  Batch random_batch() const;
  void recycle(std::size_t keep);

  const Graph& graph_;
  const Job& job_;
  Device& device_;
  Pipeline* pipeline_;
  SpanLog& spans_;
  Batch resident_;
  Batch host_;
  Batch current_;
  std::deque<InFlight> in_flight_;  // buffers whose copy to the device may still be under way
  double waited_s_ = 0;
};

}  // namespace stash
