#pragma once

#include <filesystem>

#include "stash/fleet/traffic/load_trace.h"

namespace stash {

// A CSV with columns requests, peak_5s_requests and zero_seconds by minute, as the benches of fleets take it. A minute
// with half of its seconds empty was not recorded.
LoadTrace read_minutes(const std::filesystem::path& path);

}  // namespace stash
