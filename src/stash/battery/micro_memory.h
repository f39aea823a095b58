#pragma once

#include <cstdint>
#include <vector>

#include "stash/battery/figure.h"

namespace stash {

inline constexpr std::int64_t kTriadBytes = 192 << 20;  // of its three arrays together: more than caches hold

// "memory_triad", bytes_per_s, for 1, 2, 4, ... `most_threads` threads: a = b + scalar * c over arrays that no cache
// holds, counted as STREAM counts (24 bytes an element).
std::vector<Figure> measure_memory(int most_threads, std::int64_t array_bytes = kTriadBytes);

}  // namespace stash
