#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "stash/core/job.h"
#include "stash/measure/torch_headers.h"

namespace stash {

// The time line of an accelerator that is not there: work is queued on it, and waiting for it sleeps to an
// absolute deadline, so that errors of single sleeps do not add up.
class EmulatedStream {
 public:
  void enqueue(double s);         // after what is queued and has arrived; from now on where it has been idle
  void enqueue_behind(double s);  // directly after what is queued, however late the caller is
  void wait();                    // until all that is queued is done; uses no CPU
  std::int64_t next_start_ns() const;
  // What is queued next needs something that came at this time: gradients, a batch. From any thread.
  void arrive(std::int64_t at_ns);

 private:
  std::int64_t busy_until_ns_ = 0;
  std::atomic<std::int64_t> arrived_ns_{0};
};

// Returns when everything that was queued on the device is done, on all its streams where torch can tell.
void synchronize_device(c10::Device device);

// Where a rank computes: the CPU, an accelerator that torch knows, or an emulated one.
class Device {
 public:
  // `local_rank` picks among the accelerators; Error when there is none or torch cannot use it.
  Device(const Job& job, int local_rank);

  c10::Device torch_device() const { return torch_device_; }
  bool is_accelerator() const { return !torch_device_.is_cpu(); }
  EmulatedStream* emulated() { return emulated_ ? &*emulated_ : nullptr; }
  // Waits until everything that was queued is done, and says when that was. An emulated device says so on its own time
  // line, however late the sleep ended.
  std::int64_t finish_ns();
  void synchronize() { finish_ns(); }
  double stop_s();  // how late that is, when there was no more than a moment of work
  // Memory for the input pipeline's batches: pinned where there is an accelerator and it may be.
  std::shared_ptr<void> allocate_host(std::size_t bytes);
  at::Tensor host_copy(const at::Tensor& tensor);  // in memory of the same kind
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  at::Tensor host_tensor(at::IntArrayRef shape, at::ScalarType type);

  c10::Device torch_device_{c10::kCPU};
  std::optional<EmulatedStream> emulated_;
  std::vector<std::string> warnings_;
};

}  // namespace stash
