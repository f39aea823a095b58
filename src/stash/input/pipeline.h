#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "stash/core/injection.h"
#include "stash/core/profile.h"
#include "stash/input/dataset/dataset.h"

namespace stash {

struct PipelineOptions {
  int batch = 32;
  int workers = 1;
  int most_workers = 0;   // threads that are started, for set_workers(); fewer than `workers`: as many as these
  int prefetch = 2;       // batch buffers that may be ready or in preparation ahead of the consumer
  int most_prefetch = 0;  // that there is room for, for set_prefetch(); fewer than `prefetch`: as many as these
  int image_size = 224;
  int seq_len = 0;
  std::int64_t classes = 0;  // of the model; more class folders or a larger token id are an Error; 0: unchecked
  std::uint64_t seed = 1;
  int rank = 0;  // this pipeline reads samples rank, rank + ranks, ... of each epoch's shuffle
  int ranks = 1;
  double cpu_ratio = 1;  // CPU time of a sample over that of this pipeline; what is more is spent on nothing
  Injection inject;
  // Memory for a batch; where there is a GPU it is pinned. Called at construction only.
  std::function<std::shared_ptr<void>(std::size_t bytes)> allocate;
  double deadline_s = 30;  // for every wait
};

// A prepared batch. Images: normalised floats, {batch, 3, size, size}; tokens: {batch, seq_len + 1} int64.
struct BatchView {
  float* images = nullptr;
  std::int64_t* tokens = nullptr;
  std::int64_t* labels = nullptr;  // images: class; tokens: unused
  int slot = 0;
  std::int64_t made_ns = 0;  // when its last sample was made, on the workers' time lines
};

// Worker threads that read, decode and augment samples into batch buffers, in order, behind a bounded queue.
// One consumer thread. Nothing is allocated or locked per sample beyond what the decoder needs.
class Pipeline {
 public:
  Pipeline(std::shared_ptr<const Dataset> dataset, PipelineOptions options);
  ~Pipeline();  // stops the workers
  Pipeline(const Pipeline&) = delete;

  // Waits for the next batch; it stays valid until release(). Throws Error after deadline_s, or when too
  // many samples could not be decoded.
  bool ready() const;  // whether next() would wait for nothing
  BatchView next();
  void release(const BatchView& batch);

  void pause();  // returns when no worker is inside a sample
  void resume();
  void set_prefetch(int batches);  // paused only: from 1 to what there is room for
  void drain();                    // paused only: throws away what was prepared, finished or half
  // Cold: the pages of every sample are evicted before it is read and again after it was. Paused only.
  void set_cold(bool cold);
  // Paused only: evicts or loads the files of the next `batches` batches; returns the share of their pages
  // that is in the page cache afterwards, nullopt where the system cannot tell. The workers run up to
  // `prefetch` batches ahead of the consumer.
  std::optional<double> evict_upcoming(int batches);
  std::optional<double> load_upcoming(int batches);

  // Any thread: parks workers or wakes parked ones, from 1 to those that were started; takes effect with the next
  // sample of each. No sample is lost, made twice or moved.
  void set_workers(int workers);
  int workers() const;
  int most_workers() const;  // that were started

  double queued_samples() const;   // prepared and not yet taken
  InputCounters counters() const;  // since construction or reset_counters()
  void reset_counters();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace stash
