#pragma once

#include <cstddef>

namespace stash {

// As cudaMemcpyAttributes: sources are read in stream order, and there are no hints.
struct CopyAttributes {
  int source_order = 1;
  int source_hint[2] = {0, 0};
  int target_hint[2] = {0, 0};
  unsigned flags = 0;
};

// The functions of CUDA's runtime that serving needs beyond torch's own interfaces. They are looked up in the library
// that torch has loaded, so that building needs no CUDA toolkit.
struct CudaRuntime {
  int (*host_register)(void* at, std::size_t bytes, unsigned flags) = nullptr;
  int (*host_unregister)(void* at) = nullptr;
  int (*copy)(void* to, const void* from, std::size_t bytes, int kind, void* stream) = nullptr;
  int (*event_create)(void** event, unsigned flags) = nullptr;
  int (*event_destroy)(void* event) = nullptr;
  int (*event_record)(void* event, void* stream) = nullptr;
  int (*event_query)(void* event) = nullptr;
  int (*event_synchronize)(void* event) = nullptr;
  int (*event_elapsed_ms)(float* ms, void* from, void* to) = nullptr;
  int (*launch_host_function)(void* stream, void (*function)(void*), void* data) = nullptr;
  int (*graph_launch)(void* graph, void* stream) = nullptr;
  const char* (*error_text)(int error) = nullptr;
  // Several copies as one call; nullptr where the runtime is older than 13.
  int (*copy_batch)(void* const* to, const void* const* from, const std::size_t* bytes, std::size_t count,
                    const CopyAttributes* attributes, const std::size_t* first_of_attribute,
                    std::size_t attribute_count, void* stream) = nullptr;

  static const CudaRuntime& get();  // Error where it is not there

  void check(int error, const char* what) const;  // Error with CUDA's own words
};

inline constexpr int kCopyToDevice = 1;
inline constexpr int kCopyToHost = 2;
inline constexpr int kNotReady = 600;
inline constexpr unsigned kBlockingEvent = 1;

}  // namespace stash
