#pragma once

#include <cstdint>
#include <filesystem>

// How much the profiler was told to write of an operator.
enum class TraceMix {
  lean,      // as before torch 2.0: the operator's number
  standard,  // the default
  detailed   // with record_shapes: types, sizes, strides
};

// A trace as torch.profiler writes it for a data-parallel job on one GPU: operators, calls of the runtime, kernels with
// their arguments, flows between them, NCCL kernels, copies, marked steps and batches. Returns the number of events.
std::uint64_t write_synthetic_trace(const std::filesystem::path& path, std::uint64_t bytes, TraceMix mix);
