#pragma once

#include <cstdint>
#include <optional>

namespace stash {

// Part of an open file; `bytes` 0 means to its end. Whole pages are meant: the range is rounded outwards.
struct PageRange {
  int fd = -1;
  std::int64_t offset_bytes = 0;
  std::int64_t bytes = 0;
};

struct PageCount {
  std::int64_t cached = 0;
  std::int64_t total = 0;
};

// Writes dirty pages back and asks the kernel to drop the range; what it achieved, count_pages tells.
void evict_pages(const PageRange& range);

// True where hardly a page of the range is cached: what is read then comes from storage.
bool is_evicted(const PageRange& range);

// Reads the range into the page cache and returns when it is there.
void load_pages(const PageRange& range);

// nullopt where the system does not tell: a file system without a page cache, another user's file.
std::optional<PageCount> count_pages(const PageRange& range);

}  // namespace stash
