#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "stash/measure/serving/batch_model.h"
#include "stash/measure/serving/captured_graph.h"
#include "stash/measure/serving/cuda_runtime.h"
#include "stash/measure/serving/device_parts.h"

namespace stash {

// Everything of one size of batch.
struct SizedBatch {
  int rows = 0;
  void* stream = nullptr;
  std::vector<at::Tensor> inputs;  // on the device
  std::vector<at::Tensor> outputs;
  at::Tensor not_a_number;  // a flag for each sample
  std::unique_ptr<CapturedGraph> graph;
  std::array<void*, 4> events{};  // begin, copied in, computed, copied out
  bool is_recorded = false;
  // Of the last batch of this size.
  std::int64_t copy_in_ns = -1, compute_ns = -1, copy_out_ns = -1;
};

// What the work of a model needs on every range of its GPU.
struct WorkBasis {
  BatchModel& model;
  c10::Device device;
  const GraphPool* pool = nullptr;   // nullptr: kernels are launched one by one
  std::vector<at::Tensor> inputs{};  // for the largest batch
  std::atomic<bool> can_capture{true};
};

// A model's work on a range of a GPU, by size of batch: as a graph that was recorded once, or kernel by kernel.
class RangeWork {
 public:
  RangeWork(WorkBasis& basis, DeviceRange range, CudaStream stream);
  ~RangeWork();
  RangeWork(const RangeWork&) = delete;
  RangeWork& operator=(const RangeWork&) = delete;

  DeviceRange range() const { return range_; }
  // For a batch of so many samples: with graphs, the next larger size that there is.
  SizedBatch& for_batch(int rows, bool is_eager);
  // For exactly that size, which is made where it is missing.
  SizedBatch& for_size(int rows);
  std::vector<int> graph_sizes() const;
  void compute(SizedBatch& sized) const;
  void record(const SizedBatch& sized, std::size_t event) const;

 private:
  SizedBatch& make(std::map<int, SizedBatch>& among, int rows) const;
  void capture(SizedBatch& sized) const;
  void run_model(SizedBatch& sized) const;

  const CudaRuntime& cuda_;
  WorkBasis& basis_;
  DeviceRange range_;
  CudaStream stream_;
  std::map<int, SizedBatch> graphs_, eager_;
};

}  // namespace stash
