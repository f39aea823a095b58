#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "stash/launch/serving/worker_messages.h"
#include "stash/measure/serving/batch_lane.h"
#include "stash/measure/serving/device_parts.h"

namespace stash {

// A worker of `stash serve`: holds a model and works on the batches that the server orders.
class ServeWorker {
 public:
  // `stream`: with a GPU, the current one of this thread.
  ServeWorker(std::unique_ptr<BatchModel> model, std::string device, int most_batch, int board_fd, int arena_fd,
              std::int64_t arena_bytes, int order_fd, int done_fd, CudaStream stream, bool uses_graphs,
              bool divides_device);

  // Tries the model out, shares memory with the server and measures T(b) for `measure_s`. Error where the model does
  // not do what it should.
  WorkerReady prepare(double measure_s);
  // Works until the process ends.
  void run();

 private:
  std::vector<ModelTensor> found_outputs();
  std::vector<WorkerTime> measured_times(double measure_s, int parts) const;
  std::vector<WorkerPartTimes> measured_part_times(double measure_s) const;
  void fill_inputs() const;
  void fail(const std::string& message) const;

  std::unique_ptr<BatchModel> model_;
  std::string device_;
  int most_batch_;
  int board_fd_, arena_fd_;
  std::int64_t arena_bytes_;
  int order_fd_;
  std::unique_ptr<BatchLane> lane_;
  std::unique_ptr<BatchMemory> memory_;
};

// A type of the Open Inference Protocol. Error for those that it lacks.
std::string datatype_of(at::ScalarType type);
at::ScalarType scalar_type_named(const std::string& datatype);

}  // namespace stash
