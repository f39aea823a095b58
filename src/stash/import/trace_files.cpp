#include "stash/import/trace_files.h"

#include <fmt/format.h>

#include <algorithm>

#include "stash/core/error.h"

namespace stash {
namespace {

namespace fs = std::filesystem;

bool is_trace(const fs::directory_entry& entry) {
  std::error_code ignored;
  const std::string name = entry.path().filename().string();
  return entry.is_regular_file(ignored) && (name.ends_with(".json") || name.ends_with(".json.gz"));
}

std::vector<fs::path> traces_in(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code error;
  fs::directory_iterator entries(folder, error);
  for (; !error && entries != fs::directory_iterator(); entries.increment(error)) {
    if (is_trace(*entries)) found.push_back(entries->path());
  }
  if (error) throw Error(fmt::format("cannot read the folder {}: {}", folder.string(), error.message()));
  if (found.empty()) {
    throw Error(fmt::format("{} holds no .json or .json.gz; name the folder that the profiler's traces lie in",
                            folder.string()));
  }
  std::ranges::sort(found);
  return found;
}

}  // namespace

std::vector<fs::path> find_traces(std::span<const fs::path> paths) {
  std::vector<fs::path> traces;
  for (const fs::path& path : paths) {
    std::error_code ignored;
    if (!fs::is_directory(path, ignored)) {
      traces.push_back(path);
      continue;
    }
    std::ranges::copy(traces_in(path), std::back_inserter(traces));
  }
  return traces;
}

}  // namespace stash
