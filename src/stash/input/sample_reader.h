#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include "stash/input/dataset/dataset.h"
#include "stash/input/storage_clock.h"

namespace stash {

// A sample that cannot be read or decoded. It is skipped and counted; it does not end the run.
struct BrokenSample : std::runtime_error {
  using std::runtime_error::runtime_error;
};

inline constexpr std::int64_t kMaxSampleBytes = 256 << 20;  // a photograph has a hundredth of it

struct ReadCount {
  std::int64_t bytes = 0;
  std::int64_t cold_bytes = 0;  // that were not in the page cache
  std::int64_t served_ns = 0;   // when the storage that is slowed down would have had them; 0: it is not
};

// Reads samples into a buffer that it keeps. One per worker.
class SampleReader {
 public:
  // `storage` slows down the bytes that were not in the page cache, until `stopped`; null: not at all.
  // Neither is owned.
  SampleReader(StorageClock* storage, const std::atomic<bool>& stopped) : storage_(storage), stopped_(stopped) {}

  // Valid until the next call. `cold`: the pages are evicted before and afterwards. The storage counts from
  // `asked_ns`. Throws BrokenSample.
  std::span<const std::uint8_t> read(const SampleLocation& location, bool cold, std::int64_t asked_ns,
                                     ReadCount& count);

 private:
  std::uint8_t* buffer_for(std::int64_t bytes);

  StorageClock* storage_;
  const std::atomic<bool>& stopped_;
  std::vector<std::uint8_t> buffer_;
};

// The open file of a sample, and the range of it that the sample needs. Throws BrokenSample for what is not a
// file, is too large or does not have the range.
class SampleFile {
 public:
  explicit SampleFile(const SampleLocation& location);
  ~SampleFile();
  SampleFile(const SampleFile&) = delete;
  SampleFile& operator=(const SampleFile&) = delete;

  int fd() const { return fd_; }
  std::int64_t offset_bytes() const { return offset_bytes_; }
  std::int64_t bytes() const { return bytes_; }

 private:
  void check(const SampleLocation& location);

  int fd_;
  std::int64_t offset_bytes_;
  std::int64_t bytes_ = 0;
};

}  // namespace stash
