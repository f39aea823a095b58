#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "stash/serve/bench/serve_bench.h"

namespace stash {

nlohmann::ordered_json bench_json(const ServeBench& bench);

// Error names what is missing or no number.
ServeBench bench_from_json_text(std::string_view text);

// Whether a file is one of `stash serve bench`; false also where it cannot be read.
bool is_serve_bench(const std::filesystem::path& path);
ServeBench read_serve_bench(const std::filesystem::path& path);

}  // namespace stash
