#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <vector>

#include "stash/measure/serving/batch_memory.h"
#include "stash/measure/serving/range_work.h"

namespace stash {

// A model's work on a GPU, or on the range of it that the server asks for. A range that is new is prepared on a thread
// of its own, and the one before is worked on until it is there: moving to another costs no batch any time.
class CudaWork {
 public:
  // `stream` is the current one of this thread.
  CudaWork(BatchModel& model, c10::Device device, CudaStream stream, bool uses_graphs, bool divides_device);
  ~CudaWork();
  CudaWork(const CudaWork&) = delete;
  CudaWork& operator=(const CudaWork&) = delete;

  int parts() const { return parts_ ? parts_->count() : 0; }  // into which the device can be divided
  void attach(const BatchMemory& memory);
  // For measuring, before the first batch: the work on a range, which stays if it is all of the device.
  RangeWork& measured_on(DeviceRange range);
  // For a batch: on the range, or on the one before while it is being prepared.
  RangeWork& for_batch_on(DeviceRange range);

 private:
  void prepare(const std::stop_token& stop);
  std::unique_ptr<RangeWork> prepared(DeviceRange range);
  void forget_some();

  WorkBasis basis_;
  CudaStream stream_;
  std::optional<GraphPool> pool_;
  std::optional<DeviceParts> parts_;
  RangeWork whole_;
  std::unique_ptr<RangeWork> measured_;
  RangeWork* current_;

  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::optional<DeviceRange> asked_{};
  std::vector<std::unique_ptr<RangeWork>> ready_;
  std::jthread preparer_;
};

}  // namespace stash
