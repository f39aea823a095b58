#include "stash/input/pages/page_cache.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <vector>

namespace stash {

namespace {

// cachestat(2) came with Linux 6.5; Debian 12's headers do not know it.
constexpr long kCachestatNumber = 451;

struct CachestatRange {
  std::uint64_t offset;
  std::uint64_t bytes;
};

struct Cachestat {
  std::uint64_t cached, dirty, writeback, evicted, recently_evicted;
};

std::int64_t page_bytes() {
  static const std::int64_t bytes = sysconf(_SC_PAGESIZE);
  return bytes;
}

std::optional<std::int64_t> file_bytes(int fd) {
  struct stat status{};
  if (fstat(fd, &status) != 0) return std::nullopt;
  return status.st_size;
}

// Whole pages inside the file; empty when the range lies behind its end.
PageRange clip(const PageRange& range) {
  const std::int64_t size = file_bytes(range.fd).value_or(0);
  const std::int64_t begin = range.offset_bytes / page_bytes() * page_bytes();
  const std::int64_t end = range.bytes == 0 ? size : std::min(size, range.offset_bytes + range.bytes);
  const std::int64_t pages = std::max<std::int64_t>(0, (end - begin + page_bytes() - 1) / page_bytes());
  return {range.fd, begin, pages * page_bytes()};
}

// mincore(2) claims that everything is cached when the caller may not write the file.
bool mincore_tells_the_truth(int fd) {
  struct stat status{};
  if (fstat(fd, &status) != 0) return false;
  return geteuid() == 0 || status.st_uid == geteuid();
}

std::optional<std::int64_t> cached_by_mincore(const PageRange& range) {
  if (!mincore_tells_the_truth(range.fd)) return std::nullopt;
  const auto bytes = static_cast<std::size_t>(range.bytes);
  void* const map = mmap(nullptr, bytes, PROT_READ, MAP_SHARED, range.fd, range.offset_bytes);
  if (map == MAP_FAILED) return std::nullopt;
  std::vector<unsigned char> pages(bytes / static_cast<std::size_t>(page_bytes()));
  const bool told = mincore(map, bytes, pages.data()) == 0;
  munmap(map, bytes);
  if (!told) return std::nullopt;
  return std::count_if(pages.begin(), pages.end(), [](unsigned char page) { return page & 1; });
}

std::optional<std::int64_t> cached_in(const PageRange& range) {
  CachestatRange asked{static_cast<std::uint64_t>(range.offset_bytes), static_cast<std::uint64_t>(range.bytes)};
  Cachestat answer{};
  if (syscall(kCachestatNumber, range.fd, &asked, &answer, 0) == 0) return static_cast<std::int64_t>(answer.cached);
  if (errno != ENOSYS) return std::nullopt;
  return cached_by_mincore(range);
}

}  // namespace

void evict_pages(const PageRange& range) {
  const PageRange pages = clip(range);
  if (pages.bytes == 0) return;
  // A dirty page is not dropped. Both calls work on a descriptor that was opened for reading.
  constexpr unsigned kWriteAndWait = SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER;
  if (sync_file_range(pages.fd, pages.offset_bytes, pages.bytes, kWriteAndWait) != 0) fdatasync(pages.fd);
  posix_fadvise(pages.fd, pages.offset_bytes, pages.bytes, POSIX_FADV_DONTNEED);
}

void load_pages(const PageRange& range) {
  const PageRange pages = clip(range);
  std::array<char, 256 * 1024> scratch;
  std::int64_t done = 0;
  while (done < pages.bytes) {
    const std::int64_t wanted = std::min<std::int64_t>(scratch.size(), pages.bytes - done);
    const ssize_t count = pread(pages.fd, scratch.data(), static_cast<std::size_t>(wanted), pages.offset_bytes + done);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return;
    done += count;
  }
}

bool is_evicted(const PageRange& range) {
  constexpr double kMostCachedRatio = 0.02;
  const auto pages = count_pages(range);
  return pages && pages->total > 0 &&
         static_cast<double>(pages->cached) <= kMostCachedRatio * static_cast<double>(pages->total);
}

std::optional<PageCount> count_pages(const PageRange& range) {
  if (!file_bytes(range.fd)) return std::nullopt;
  const PageRange pages = clip(range);
  const std::int64_t total = pages.bytes / page_bytes();
  if (total == 0) return PageCount{};
  const std::optional<std::int64_t> cached = cached_in(pages);
  if (!cached) return std::nullopt;
  return PageCount{std::min(*cached, total), total};
}

}  // namespace stash
