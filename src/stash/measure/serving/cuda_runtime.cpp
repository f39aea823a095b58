#include "stash/measure/serving/cuda_runtime.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <array>

#include "stash/core/error.h"

namespace stash {
namespace {

constexpr std::array<const char*, 3> kLibraries{"libcudart.so.13", "libcudart.so.12", "libcudart.so"};
constexpr int kFirstWithBatches = 13000;  // of the call as it is used here

void* loaded_runtime() {
  for (const char* const name : kLibraries) {
    if (void* const library = dlopen(name, RTLD_NOW | RTLD_NOLOAD)) return library;
  }
  for (const char* const name : kLibraries) {
    if (void* const library = dlopen(name, RTLD_NOW)) return library;
  }
  return nullptr;
}

template <class Function>
void find_in(void* library, const char* name, Function& function) {
  void* const found = dlsym(library, name);
  if (found == nullptr) throw Error(fmt::format("CUDA's runtime lacks {}: use a newer torch", name));
  function = reinterpret_cast<Function>(found);
}

CudaRuntime find_runtime() {
  void* const library = loaded_runtime();
  if (library == nullptr) {
    throw Error("CUDA's runtime (libcudart) was not found: use a torch that was built for CUDA, or --device cpu");
  }
  CudaRuntime runtime;
  find_in(library, "cudaHostRegister", runtime.host_register);
  find_in(library, "cudaHostUnregister", runtime.host_unregister);
  find_in(library, "cudaMemcpyAsync", runtime.copy);
  find_in(library, "cudaEventCreateWithFlags", runtime.event_create);
  find_in(library, "cudaEventDestroy", runtime.event_destroy);
  find_in(library, "cudaEventRecord", runtime.event_record);
  find_in(library, "cudaEventQuery", runtime.event_query);
  find_in(library, "cudaEventSynchronize", runtime.event_synchronize);
  find_in(library, "cudaEventElapsedTime", runtime.event_elapsed_ms);
  find_in(library, "cudaLaunchHostFunc", runtime.launch_host_function);
  find_in(library, "cudaGraphLaunch", runtime.graph_launch);
  find_in(library, "cudaGetErrorString", runtime.error_text);
  int version = 0;
  int (*get_version)(int*) = nullptr;
  find_in(library, "cudaRuntimeGetVersion", get_version);
  if (get_version(&version) == 0 && version >= kFirstWithBatches) {
    find_in(library, "cudaMemcpyBatchAsync", runtime.copy_batch);
  }
  return runtime;
}

}  // namespace

const CudaRuntime& CudaRuntime::get() {
  static const CudaRuntime runtime = find_runtime();
  return runtime;
}

void CudaRuntime::check(int error, const char* what) const {
  if (error != 0) throw Error(fmt::format("{}: {}", what, error_text(error)));
}

}  // namespace stash
