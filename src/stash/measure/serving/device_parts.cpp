#include "stash/measure/serving/device_parts.h"

#include <dlfcn.h>

#include "stash/core/error.h"

namespace stash {
namespace {

constexpr unsigned kPartMultiprocessors = 8;  // what GPUs of compute capability 9 can be divided into
constexpr unsigned kMostParts = 64;
constexpr int kMultiprocessorResource = 1;
constexpr unsigned kGreenContext = 1;  // CU_GREEN_CTX_DEFAULT_STREAM
constexpr unsigned kOwnPace = 1;       // CU_STREAM_NON_BLOCKING

// The functions of CUDA's driver, which torch has loaded. Resources are CUdevResource.
struct Driver {
  int (*get_resource)(int device, void* resource, int type) = nullptr;
  int (*split)(void* groups, unsigned* count, const void* all, void* rest, unsigned flags, unsigned least) = nullptr;
  int (*describe)(void** description, void* resources, unsigned count) = nullptr;
  int (*create)(void** context, void* description, int device, unsigned flags) = nullptr;
  int (*make_stream)(void** stream, void* context, unsigned flags, int priority) = nullptr;
};

template <class Function>
bool find_in_driver(void* library, const char* name, Function& function) {
  function = library != nullptr ? reinterpret_cast<Function>(dlsym(library, name)) : nullptr;
  return function != nullptr;
}

// nullptr: it lacks green contexts.
const Driver* driver() {
  static Driver found;
  static const bool is_complete = [] {
    void* const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
    return find_in_driver(library, "cuDeviceGetDevResource", found.get_resource) &&
           find_in_driver(library, "cuDevSmResourceSplitByCount", found.split) &&
           find_in_driver(library, "cuDevResourceGenerateDesc", found.describe) &&
           find_in_driver(library, "cuGreenCtxCreate", found.create) &&
           find_in_driver(library, "cuGreenCtxStreamCreate", found.make_stream);
  }();
  return is_complete ? &found : nullptr;
}

}  // namespace

DeviceParts::DeviceParts(c10::Device device) : device_(device) {
  const Driver* const cuda = driver();
  if (cuda == nullptr) return;
  Resource all, rest;
  unsigned count = kMostParts;
  groups_.resize(count);
  const bool is_divided = cuda->get_resource(device_.index(), &all, kMultiprocessorResource) == 0 &&
                          cuda->split(groups_.data(), &count, &all, &rest, 0, kPartMultiprocessors) == 0;
  groups_.resize(is_divided ? count : 0);
}

CudaStream DeviceParts::make_stream(DeviceRange range) {
  void *description = nullptr, *context = nullptr, *stream = nullptr;
  const Driver* const cuda = driver();
  if (cuda == nullptr || range.first + range.count > count() ||
      cuda->describe(&description, &groups_[static_cast<std::size_t>(range.first)],
                     static_cast<unsigned>(range.count)) != 0 ||
      cuda->create(&context, description, device_.index(), kGreenContext) != 0 ||
      cuda->make_stream(&stream, context, kOwnPace, 0) != 0) {
    throw Error("the GPU could not be divided among models: leave --share away, or use --share streams");
  }
  return {stream, static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(stream))};  // as torch numbers others'
}

}  // namespace stash
