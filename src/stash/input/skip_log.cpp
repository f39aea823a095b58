#include "stash/input/skip_log.h"

#include <fmt/format.h>

#include <algorithm>

#include "stash/core/error.h"

namespace stash {

void SkipLog::add_skipped(const std::string& path, const std::string& reason) {
  const std::int64_t skipped = skipped_.fetch_add(1, std::memory_order_relaxed) + 1;
  const std::int64_t tried = tried_.load(std::memory_order_relaxed);
  {
    const std::lock_guard lock(mutex_);
    const bool known = std::find(files_.begin(), files_.end(), path) != files_.end();
    if (!known && files_.size() < kNamedSkips) files_.push_back(path);
  }
  if (skipped >= kMinSkippedForError && static_cast<double>(skipped) > kMaxSkippedRatio * static_cast<double>(tried)) {
    throw Error(
        fmt::format("{} of {} samples could not be used, the last one '{}', which {}; "
                    "`stash dataset check` lists such files",
                    skipped, tried, path, reason));
  }
}

std::vector<std::string> SkipLog::files() const {
  const std::lock_guard lock(mutex_);
  return files_;
}

void SkipLog::reset() {
  const std::lock_guard lock(mutex_);
  forgotten_ = skipped_.load();
  files_.clear();
}

}  // namespace stash
