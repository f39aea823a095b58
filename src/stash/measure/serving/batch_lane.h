#pragma once

#include <memory>
#include <vector>

#include "stash/measure/serving/batch_memory.h"
#include "stash/measure/serving/batch_model.h"
#include "stash/measure/serving/device_parts.h"

namespace stash {

// Where batches are worked on: bytes in, the model's work, results out. One batch at a time, on one thread.
class BatchLane {
 public:
  virtual ~BatchLane() = default;
  // A first batch from and to the host's memory, before there is shared memory.
  virtual std::vector<at::Tensor> try_out(const std::vector<at::Tensor>& inputs) = 0;
  virtual void attach(const BatchMemory& memory) = 0;
  // Into how many parts its device can be divided; 0: it cannot.
  virtual int device_parts() const { return 0; }
  // Seconds of a batch whose inputs are there, without the host's part of it, on so many parts of the device; 0: on all
  // of it.
  virtual double time_of(int rows, int parts) = 0;
  // Carries out what the board orders, and writes its end there. An exception: it failed. False: it has not ended yet,
  // and the device will tell the server itself.
  virtual bool carry_out() = 0;
  // Tells the server, in the way that it asked for.
  virtual void tell(std::uint64_t batch, BatchNotice way) = 0;
};

std::unique_ptr<BatchLane> make_cpu_lane(BatchModel& model, int done_fd);

// `stream` is the current one of this thread. With graphs, the work of each size of batch is recorded once;
// `divides_device`: batches may be worked on by some of the device's parts.
std::unique_ptr<BatchLane> make_cuda_lane(BatchModel& model, c10::Device device, CudaStream stream, int done_fd,
                                          bool uses_graphs, bool divides_device);

// Fails with what the model gave and what it was to give: `rows` samples of each output.
void check_outputs(const std::vector<at::Tensor>& given, const std::vector<ModelTensor>& expected, int rows);

// Marks the samples of which an output holds a NaN.
void mark_not_a_number(BatchBoard& board, const std::vector<at::Tensor>& outputs);

}  // namespace stash
