#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "stash/launch/serving/batch_board.h"
#include "stash/measure/torch_headers.h"

namespace stash {

// A stream of CUDA, and torch's number for it.
struct CudaStream {
  void* stream = nullptr;
  std::int64_t id = 0;
};

// A GPU's multiprocessors as parts of equal size (green contexts). Processes that work at once through NVIDIA's
// multi-process service disturb each other only where their ranges overlap.
class DeviceParts {
 public:
  explicit DeviceParts(c10::Device device);

  int count() const { return static_cast<int>(groups_.size()); }  // 0: the driver or the GPU cannot divide it
  // A new stream that works on these parts only; it stays until the process ends. Error where there is none.
  CudaStream make_stream(DeviceRange range);

 private:
  // As CUdevResource, of which only the size matters here.
  struct Resource {
    std::byte bytes[144]{};
  };
  c10::Device device_;
  std::vector<Resource> groups_;
};

}  // namespace stash
