#pragma once

#include <vector>

namespace stash {

// Streams of a GPU that work on some of its multiprocessors only: the first on one part of them, the second on two, and
// so on up to all parts (green contexts). Processes that share a GPU through NVIDIA's multi-process service get parts
// that are free. Empty where the driver or the GPU cannot divide it. Streams stay until the process ends.
std::vector<void*> make_part_streams(int device);

}  // namespace stash
