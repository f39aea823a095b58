#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

namespace stash {

inline constexpr std::size_t kNamedSkips = 16;
// A few broken files are normal (ImageNet has some); above this share the data set is not what it should be.
inline constexpr double kMaxSkippedRatio = 0.1;
// Before this many, a share says nothing.
inline constexpr std::int64_t kMinSkippedForError = 16;

// Samples that could not be read or decoded. Costs one addition for a good one.
class SkipLog {
 public:
  void add_tried() { tried_.fetch_add(1, std::memory_order_relaxed); }
  // Error when too many of those tried are broken; it names `path` and the reason.
  void add_skipped(const std::string& path, const std::string& reason);

  std::int64_t skipped() const { return skipped_.load(std::memory_order_relaxed) - forgotten_; }
  std::vector<std::string> files() const;  // the first kNamedSkips different ones
  void reset();                            // the share that is allowed still counts from the beginning

 private:
  std::atomic<std::int64_t> tried_{0};
  std::atomic<std::int64_t> skipped_{0};
  std::atomic<std::int64_t> forgotten_{0};
  mutable std::mutex mutex_;
  std::vector<std::string> files_;
};

}  // namespace stash
