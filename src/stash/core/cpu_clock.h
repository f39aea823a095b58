#pragma once

#include <cstdint>

namespace stash {

// CPU time that this thread has used.
std::int64_t thread_cpu_ns();

// Returns when it has used this much; uses the core until then.
void keep_busy_until_cpu_ns(std::int64_t cpu_ns);

}  // namespace stash
