#pragma once

#include <cstdint>

namespace stash {

// CLOCK_MONOTONIC, comparable between the processes of one machine.
std::int64_t now_ns();

// Returns at once when the deadline has passed. Uses no CPU while it waits.
void sleep_until_ns(std::int64_t deadline_ns);

// Asks the kernel to wake this thread's sleeps within a microsecond instead of the usual 50.
void use_precise_sleep();

inline double seconds(std::int64_t ns) { return static_cast<double>(ns) * 1e-9; }
inline std::int64_t nanoseconds(double s) { return static_cast<std::int64_t>(s * 1e9 + 0.5); }

}  // namespace stash
