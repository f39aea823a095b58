#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <thread>

#include "stash/measure/engine/device.h"
#include "stash/measure/torch_headers.h"

namespace stash {

// Slows collectives down to a link of a given rate: what goes over it is serialised, and completes no earlier
// than its bytes would have arrived. The real collective runs underneath.
class InjectedLink {
 public:
  // `stream`: the emulated accelerator whose gradients it carries, in its time; null: a real one. Not owned.
  InjectedLink(double bytes_per_s, EmulatedStream* stream);
  ~InjectedLink();
  InjectedLink(const InjectedLink&) = delete;
  InjectedLink& operator=(const InjectedLink&) = delete;

  // Completes when `real` has and `wire_bytes` have passed.
  c10::intrusive_ptr<c10d::Work> carry(int rank, c10d::OpType op, c10::intrusive_ptr<c10d::Work> real,
                                       double wire_bytes, std::vector<at::Tensor> tensors);

 private:
  struct Transfer {
    c10::intrusive_ptr<c10d::Work> real;
    c10::intrusive_ptr<c10::ivalue::Future> done;
    std::vector<at::Tensor> tensors;
    std::int64_t deadline_ns;
  };
  void run();

  double bytes_per_s_;
  EmulatedStream* stream_;
  std::int64_t busy_until_ns_ = 0;
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<Transfer> transfers_;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace stash
