#pragma once

#include <atomic>
#include <cstdint>

namespace stash {

// Sleeps to the deadline, or until shortly after `stopped` became true.
void sleep_unless(const std::atomic<bool>& stopped, std::int64_t deadline_ns);

}  // namespace stash
