#include "stash/input/sample_reader.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "stash/core/clock.h"
#include "stash/input/interruptible_sleep.h"
#include "stash/input/kept_buffer.h"
#include "stash/input/pages/page_cache.h"

namespace stash {

namespace {

std::string reason(int error) { return std::generic_category().message(error); }

// Reads until `bytes` are there or the file ends; `flags` as of preadv2. Returns what was read, or -errno when
// nothing was.
std::int64_t read_range(const SampleFile& file, std::uint8_t* out, std::int64_t from, int flags) {
  std::int64_t done = from;
  while (done < file.bytes()) {
    const iovec target{out + done, static_cast<std::size_t>(file.bytes() - done)};
    const ssize_t count = preadv2(file.fd(), &target, 1, file.offset_bytes() + done, flags);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && done == from) return -errno;
    if (count <= 0) break;
    done += count;
  }
  return done - from;
}

void read_rest(const SampleFile& file, std::uint8_t* out, std::int64_t from) {
  const std::int64_t count = read_range(file, out, from, 0);
  if (count < 0) throw BrokenSample("cannot be read: " + reason(static_cast<int>(-count)));
  if (from + count < file.bytes()) throw BrokenSample("has become shorter");
}

// Reads the sample and returns how many of its bytes were not in the page cache.
std::int64_t read_counting(const SampleFile& file, const PageRange& pages, bool cold, std::uint8_t* out) {
  if (const std::optional<PageCount> before = count_pages(pages); before && before->total > 0) {
    read_rest(file, out, 0);
    return file.bytes() * (before->total - before->cached) / before->total;
  }
  // Second best: this read returns only what is cached, but it starts the others' way into the cache as well.
  const std::int64_t cached = read_range(file, out, 0, RWF_NOWAIT);
  const bool told = cached >= 0 || cached == -EAGAIN;
  const std::int64_t warm = std::max<std::int64_t>(0, cached);
  read_rest(file, out, warm);
  // Where nothing tells, a read is taken to be as cold as it was asked to be.
  return told || cold ? file.bytes() - warm : 0;
}

}  // namespace

SampleFile::SampleFile(const SampleLocation& location)
    // Non-blocking, so that a pipe without a writer is refused instead of waited for.
    : fd_(::open(location.path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)), offset_bytes_(location.offset_bytes) {
  if (fd_ < 0) throw BrokenSample("cannot be opened: " + reason(errno));
  try {
    check(location);
  } catch (...) {
    ::close(fd_);
    throw;
  }
}

SampleFile::~SampleFile() { ::close(fd_); }

void SampleFile::check(const SampleLocation& location) {
  struct stat status{};
  if (fstat(fd_, &status) != 0) throw BrokenSample("cannot be read: " + reason(errno));
  if (!S_ISREG(status.st_mode)) throw BrokenSample("is not a file");
  const std::int64_t available = status.st_size - offset_bytes_;
  bytes_ = location.bytes.value_or(available);
  if (bytes_ <= 0) throw BrokenSample("is empty");
  if (bytes_ > available) throw BrokenSample("has become shorter");
  if (bytes_ > kMaxSampleBytes)
    throw BrokenSample(fmt::format("has {} bytes; at most {} are read", bytes_, kMaxSampleBytes));
  // Part of a larger file: readahead would bring in what nobody asked for.
  if (location.bytes) posix_fadvise(fd_, 0, 0, POSIX_FADV_RANDOM);
}

std::span<const std::uint8_t> SampleReader::read(const SampleLocation& location, bool cold, std::int64_t asked_ns,
                                                 ReadCount& count) {
  const SampleFile file(location);
  const PageRange pages{file.fd(), file.offset_bytes(), file.bytes()};
  if (cold) evict_pages(pages);
  std::uint8_t* const data = buffer_for(file.bytes());
  count = {file.bytes(), read_counting(file, pages, cold, data)};
  if (storage_ != nullptr && count.cold_bytes > 0) {
    count.served_ns = std::max(now_ns(), storage_->reserve(asked_ns, count.cold_bytes));
    sleep_unless(stopped_, count.served_ns);
  }
  if (cold) evict_pages(pages);
  return {data, static_cast<std::size_t>(file.bytes())};
}

std::uint8_t* SampleReader::buffer_for(std::int64_t bytes) {
  grow_kept(buffer_, static_cast<std::size_t>(bytes));
  return buffer_.data();
}

}  // namespace stash
