#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <tuple>
#include <vector>

#include "stash/measure/serving/batch_memory.h"
#include "stash/measure/serving/batch_model.h"
#include "stash/measure/serving/captured_graph.h"
#include "stash/measure/serving/cuda_runtime.h"

namespace stash {

// A stream of CUDA, and torch's number for it.
struct CudaStream {
  void* stream = nullptr;
  std::int64_t id = 0;
};

// How a batch is worked on.
struct WorkWay {
  bool is_eager = false;
  int parts = 0;  // of the device; 0: all of it
  auto operator<=>(const WorkWay&) const = default;
};

// Everything of one size of batch, worked on in one way.
struct SizedBatch {
  int rows = 0;
  CudaStream stream{};
  std::vector<at::Tensor> inputs;  // on the device
  std::vector<at::Tensor> outputs;
  at::Tensor not_a_number;  // a flag for each sample
  std::unique_ptr<CapturedGraph> graph;
  std::array<void*, 4> events{};  // begin, copied in, computed, copied out
  bool is_recorded = false;
  // Of the last batch of this size.
  std::int64_t copy_in_ns = -1, compute_ns = -1, copy_out_ns = -1;
};

// A model's work on a GPU: by size of batch, as a graph that was recorded once or kernel by kernel, on all of the device
// or on parts of it.
class CudaWork {
 public:
  // `streams`: for all of the device, one part, two parts and so on.
  CudaWork(BatchModel& model, c10::Device device, std::vector<CudaStream> streams, bool uses_graphs);
  ~CudaWork();
  CudaWork(const CudaWork&) = delete;
  CudaWork& operator=(const CudaWork&) = delete;

  int most_parts() const { return static_cast<int>(streams_.size()) - 1; }
  void attach(const BatchMemory& memory);
  // For a batch of so many samples; with graphs, the next larger size that there is.
  SizedBatch& for_batch(int rows, WorkWay way) { return found(rows, way, false); }
  // For exactly that size, which is made where it is missing.
  SizedBatch& for_size(int rows, WorkWay way) { return found(rows, way, true); }
  void compute(SizedBatch& sized);
  void record(const SizedBatch& sized, std::size_t event) const;

 private:
  using Key = std::tuple<WorkWay, int>;

  SizedBatch& found(int rows, WorkWay way, bool is_exact);
  SizedBatch& make(int rows, WorkWay way);
  void capture(SizedBatch& sized);
  void run_model(SizedBatch& sized);
  void use(const CudaStream& stream) const;

  const CudaRuntime& cuda_;
  BatchModel& model_;
  c10::Device device_;
  std::vector<CudaStream> streams_;
  bool uses_graphs_;
  bool can_capture_ = true;
  std::vector<at::Tensor> inputs_;  // for the largest batch
  std::optional<GraphPool> pool_;
  std::map<Key, SizedBatch> sized_;
};

}  // namespace stash
