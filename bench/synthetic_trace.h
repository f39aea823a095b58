#pragma once

#include <cstdint>
#include <filesystem>

// A trace as torch.profiler writes it for a data-parallel job on one GPU: operators, calls of the runtime, kernels with
// their arguments, flows between them, NCCL kernels, copies, marked steps and batches. Returns the number of events.
std::uint64_t write_synthetic_trace(const std::filesystem::path& path, std::uint64_t bytes);
