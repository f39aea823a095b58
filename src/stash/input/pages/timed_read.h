#pragma once

#include <cstdint>
#include <span>

#include "stash/input/pages/page_cache.h"

namespace stash {

// Seconds to read the range, as much at once as `buffer` holds. Error: it cannot be read.
double timed_read_s(const PageRange& range, std::span<std::uint8_t> buffer);

}  // namespace stash
