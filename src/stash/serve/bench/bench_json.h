#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "stash/serve/bench/serve_bench.h"

namespace stash {

inline constexpr std::size_t kLargestServeBench_bytes = 4 << 20;

nlohmann::ordered_json bench_json(const ServeBench& bench);

// Error names what is missing or no number.
ServeBench bench_from_json_text(std::string_view text);

ServeBench read_serve_bench(const std::filesystem::path& path);

}  // namespace stash
