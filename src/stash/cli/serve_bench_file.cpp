#include "stash/cli/serve_bench_file.h"

#include <nlohmann/json.hpp>
#include <string>

#include "stash/core/error.h"
#include "stash/core/file.h"
#include "stash/core/profile_json.h"
#include "stash/serve/bench/bench_json.h"

namespace stash {

bool is_serve_bench(const std::filesystem::path& path) {
  std::error_code error;
  if (std::filesystem::file_size(path, error) > kLargestServeBench_bytes || error) return false;
  try {
    const std::string text = read_file(path, kLargestServeBench_bytes);
    if (text.find("\"primitives\"") == std::string::npos) return false;
    const nlohmann::json json = parse_json(text, "the file");
    return json.is_object() && json.contains("primitives") && json.contains("batches") && json.contains("parts");
  } catch (const Error&) {
    return false;
  }
}

}  // namespace stash
