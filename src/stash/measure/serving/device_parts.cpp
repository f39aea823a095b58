#include "stash/measure/serving/device_parts.h"

#include <dlfcn.h>

#include <array>
#include <cstddef>

namespace stash {
namespace {

constexpr unsigned kPartMultiprocessors = 8;  // the smallest part that a GPU of compute capability 9 can be divided into
constexpr unsigned kMostParts = 64;
constexpr int kMultiprocessorResource = 1;
constexpr unsigned kGreenContext = 1;  // CU_GREEN_CTX_DEFAULT_STREAM
constexpr unsigned kOwnPace = 1;       // CU_STREAM_NON_BLOCKING

// As CUdevResource, of which only the size matters here.
struct DeviceResource {
  std::array<std::byte, 144> bytes{};
};

// The functions of CUDA's driver, which torch has loaded.
class Driver {
 public:
  Driver() : library_(dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD)) {
    find("cuDeviceGetDevResource", get_resource);
    find("cuDevSmResourceSplitByCount", split);
    find("cuDevResourceGenerateDesc", describe);
    find("cuGreenCtxCreate", create);
    find("cuGreenCtxStreamCreate", make_stream);
  }
  bool is_complete() const { return is_complete_; }

  int (*get_resource)(int device, DeviceResource* resource, int type) = nullptr;
  int (*split)(DeviceResource* groups, unsigned* count, const DeviceResource* all, DeviceResource* rest, unsigned flags,
               unsigned least) = nullptr;
  int (*describe)(void** description, DeviceResource* resources, unsigned count) = nullptr;
  int (*create)(void** context, void* description, int device, unsigned flags) = nullptr;
  int (*make_stream)(void** stream, void* context, unsigned flags, int priority) = nullptr;

 private:
  template <class Function>
  void find(const char* name, Function& function) {
    void* const found = library_ != nullptr ? dlsym(library_, name) : nullptr;
    is_complete_ = is_complete_ && found != nullptr;
    function = reinterpret_cast<Function>(found);
  }
  void* library_;
  bool is_complete_ = true;
};

}  // namespace

std::vector<void*> make_part_streams(int device) {
  const Driver driver;
  if (!driver.is_complete()) return {};
  DeviceResource all, rest;
  std::array<DeviceResource, kMostParts> groups;
  unsigned count = kMostParts;
  if (driver.get_resource(device, &all, kMultiprocessorResource) != 0 ||
      driver.split(groups.data(), &count, &all, &rest, 0, kPartMultiprocessors) != 0) {
    return {};
  }
  std::vector<void*> streams;
  for (unsigned parts = 1; parts <= count; ++parts) {
    void *description = nullptr, *context = nullptr, *stream = nullptr;
    if (driver.describe(&description, groups.data(), parts) != 0 ||
        driver.create(&context, description, device, kGreenContext) != 0 ||
        driver.make_stream(&stream, context, kOwnPace, 0) != 0) {
      return {};
    }
    streams.push_back(stream);
  }
  return streams;
}

}  // namespace stash
