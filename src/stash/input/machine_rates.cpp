#include "stash/input/machine_rates.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <ctime>
#include <random>
#include <span>
#include <vector>

#include "stash/core/clock.h"
#include "stash/core/error.h"
#include "stash/core/statistics.h"
#include "stash/input/page_cache.h"
#include "stash/input/sample_maker.h"
#include "stash/input/synthetic_image.h"

namespace stash {
namespace {

constexpr int kWindows = 10;  // enough for an interval
constexpr int kImages = 8;    // of different content
constexpr int kImageSize = 224;
constexpr int kDecodeWindowSamples = 64;     // a tenth of a second
constexpr std::size_t kReadBytes = 1 << 20;  // what readers of large files ask for
constexpr double kMostCachedRatio = 0.02;    // more: what was read did not come from storage

MeasuredRate summarize(const std::vector<double>& rates) {
  const double centre = mean(rates);
  const int degrees = static_cast<int>(rates.size()) - 1;
  const double half =
      student_t_quantile_975(degrees) * std::sqrt(sample_variance(rates) / static_cast<double>(rates.size()));
  return {centre, std::max(centre - half, 0.0), centre + half};
}

double thread_cpu_s() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

std::vector<std::vector<std::uint8_t>> make_images() {
  constexpr int kWidth = 500, kHeight = 375;
  std::vector<std::vector<std::uint8_t>> images;
  for (int i = 0; i < kImages; ++i) {
    images.push_back(encode_jpeg(synthetic_image(kWidth, kHeight, static_cast<std::uint64_t>(i)), kWidth, kHeight));
  }
  return images;
}

// A file of random bytes, which no file system can shrink; unlinked at once, so that nothing is left of it.
class ScratchFile {
 public:
  ScratchFile(const std::filesystem::path& folder, std::int64_t bytes) {
    std::string name = (folder / "storage-rate.XXXXXX").string();
    fd_ = mkstemp(name.data());
    if (fd_ < 0) fail(folder, errno);
    unlink(name.c_str());
    std::mt19937_64 random(1);
    std::vector<std::uint64_t> block(kReadBytes / sizeof(std::uint64_t));
    for (std::int64_t done = 0; done < bytes; done += static_cast<std::int64_t>(kReadBytes)) {
      for (std::uint64_t& word : block) word = random();
      write_block(folder, block);
    }
    if (fsync(fd_) != 0) fail(folder, errno);
  }
  ~ScratchFile() {
    if (fd_ >= 0) close(fd_);
  }
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;

  int fd() const { return fd_; }

 private:
  void write_block(const std::filesystem::path& folder, const std::vector<std::uint64_t>& block) {
    auto bytes = std::as_bytes(std::span(block));
    while (!bytes.empty()) {
      const ssize_t written = write(fd_, bytes.data(), bytes.size());
      if (written < 0 && errno != EINTR) fail(folder, errno);
      if (written > 0) bytes = bytes.subspan(static_cast<std::size_t>(written));
    }
  }

  [[noreturn]] void fail(const std::filesystem::path& folder, int error) {
    if (fd_ >= 0) close(fd_);
    throw Error(fmt::format("cannot write a file to time in {}: {}; name another folder", folder.string(),
                            std::strerror(error)));
  }

  int fd_ = -1;
};

bool is_evicted(const PageRange& range) {
  const auto pages = count_pages(range);
  return pages && pages->total > 0 &&
         static_cast<double>(pages->cached) <= kMostCachedRatio * static_cast<double>(pages->total);
}

double read_s(const PageRange& range, std::vector<std::uint8_t>& buffer) {
  const std::int64_t start_ns = now_ns();
  for (std::int64_t done = 0; done < range.bytes;) {
    const ssize_t count = pread(range.fd, buffer.data(), buffer.size(), range.offset_bytes + done);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) throw Error("the file to time cannot be read back; is the disk full or failing?");
    done += count;
  }
  return seconds(now_ns() - start_ns);
}

}  // namespace

MeasuredRate measure_decode_rate() {
  const auto images = make_images();
  const SampleSpec spec{.kind = InputKind::images, .image_size = kImageSize};
  const auto maker = make_sample_maker(spec);
  std::vector<std::uint8_t> out(spec.bytes());
  MakeTime ignored;
  std::uint64_t seed = 0;
  const auto window_s = [&] {
    const double start_s = thread_cpu_s();
    for (int i = 0; i < kDecodeWindowSamples; ++i) {
      maker->make(images[static_cast<std::size_t>(i) % images.size()], ++seed, out.data(), ignored);
    }
    return thread_cpu_s() - start_s;
  };
  window_s();  // buffers and caches
  std::vector<double> rates;
  for (int i = 0; i < kWindows; ++i) rates.push_back(kDecodeWindowSamples / window_s());
  return summarize(rates);
}

std::optional<MeasuredRate> measure_storage_rate(const std::filesystem::path& folder, std::int64_t bytes) {
  const ScratchFile file(folder, bytes);
  std::vector<std::uint8_t> buffer(kReadBytes);
  std::vector<double> rates;
  for (int i = 0; i < kWindows; ++i) {
    const PageRange range{file.fd(), bytes / kWindows * i, bytes / kWindows};
    evict_pages(range);
    if (!is_evicted(range)) return std::nullopt;
    rates.push_back(static_cast<double>(range.bytes) / read_s(range, buffer));
  }
  return summarize(rates);
}

}  // namespace stash
