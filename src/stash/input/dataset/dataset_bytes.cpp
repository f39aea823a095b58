#include "stash/input/dataset/dataset_bytes.h"

#include <algorithm>
#include <system_error>

namespace stash {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kLookedAt = 1000;  // the mean is then known to a few per cent
constexpr std::int64_t kMostFiles = 200'000;

std::optional<std::int64_t> file_bytes(const fs::path& path) {
  std::error_code error;
  const std::uintmax_t bytes = fs::file_size(path, error);
  return error ? std::nullopt : std::optional(static_cast<std::int64_t>(bytes));
}

}  // namespace

std::optional<std::int64_t> estimate_bytes(const Dataset& dataset) {
  const std::int64_t looked_at = std::min(dataset.size(), kLookedAt);
  std::int64_t found = 0;
  double bytes = 0;
  SampleLocation location;
  for (std::int64_t i = 0; i < looked_at; ++i) {
    dataset.locate(i * dataset.size() / looked_at, location);
    const std::optional<std::int64_t> own = location.bytes ? location.bytes : file_bytes(location.path);
    if (!own) continue;
    bytes += static_cast<double>(*own);
    ++found;
  }
  if (found == 0) return std::nullopt;
  return static_cast<std::int64_t>(bytes / static_cast<double>(found) * static_cast<double>(dataset.size()));
}

std::optional<std::int64_t> count_bytes(const fs::path& path) {
  if (const auto bytes = file_bytes(path)) return bytes;
  std::error_code error;
  std::int64_t files = 0;
  std::int64_t bytes = 0;
  fs::recursive_directory_iterator entries(path, fs::directory_options::skip_permission_denied, error);
  for (; !error && entries != fs::recursive_directory_iterator(); entries.increment(error)) {
    std::error_code ignored;
    if (!entries->is_regular_file(ignored)) continue;
    if (++files > kMostFiles) return std::nullopt;
    bytes += file_bytes(entries->path()).value_or(0);
  }
  return files > 0 ? std::optional(bytes) : std::nullopt;
}

}  // namespace stash
