#include "stash/input/make_dataset.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <exception>
#include <mutex>
#include <span>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "stash/core/error.h"
#include "stash/input/random.h"
#include "stash/input/synthetic_image.h"
#include "stash/input/token_file.h"

namespace stash {

namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(std::string_view action, const fs::path& path, int error) {
  throw Error(fmt::format("cannot {} '{}': {}{}", action, path.string(), std::generic_category().message(error),
                          error == ENOSPC || error == EDQUOT ? "; free some space or make a smaller data set" : ""));
}

// A file that is being written; synced when it is finished, so that its pages can be evicted.
class OutputFile {
 public:
  explicit OutputFile(fs::path path)
      : path_(std::move(path)), fd_(::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644)) {
    if (fd_ < 0) fail("create", path_, errno);
  }
  ~OutputFile() {
    if (fd_ >= 0) ::close(fd_);
  }
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void write(std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
      const ssize_t count = ::write(fd_, bytes.data(), bytes.size());
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) fail("write", path_, errno);
      bytes = bytes.subspan(static_cast<std::size_t>(count));
    }
  }

  void finish() {
    if (::fdatasync(fd_) != 0) fail("write", path_, errno);
    if (::close(std::exchange(fd_, -1)) != 0) fail("write", path_, errno);
  }

 private:
  fs::path path_;
  int fd_;
};

void create_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) fail("create the folder", folder, error.value());
}

void move_into_place(const fs::path& from, const fs::path& to) {
  std::error_code error;
  fs::rename(from, to, error);
  if (error) fail("create", to, error.value());
}

// Where a data set grows before it gets its name. What an interrupted run left there is removed first.
class PartialFolder {
 public:
  explicit PartialFolder(const fs::path& target) : path_(target.string() + ".partial") {
    create_folder(path_);
    fd_ = ::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd_ < 0) fail("open", path_, errno);
    if (::flock(fd_, LOCK_EX | LOCK_NB) != 0) {
      ::close(fd_);
      throw Error(fmt::format("another process is making '{}'; wait for it to end", target.string()));
    }
    for (const fs::directory_entry& entry : fs::directory_iterator(path_)) fs::remove_all(entry.path());
  }
  ~PartialFolder() {
    std::error_code ignored;
    if (!moved_) fs::remove_all(path_, ignored);
    ::close(fd_);
  }
  PartialFolder(const PartialFolder&) = delete;
  PartialFolder& operator=(const PartialFolder&) = delete;

  const fs::path& path() const { return path_; }
  void move_to(const fs::path& target) {
    move_into_place(path_, target);
    moved_ = true;
  }

 private:
  fs::path path_;
  int fd_ = -1;
  bool moved_ = false;
};

void check(const fs::path& folder, const ImageDatasetOptions& options) {
  constexpr int kMaxSide = 65'500;  // JPEG's limit
  if (options.images < 1) throw UsageError(fmt::format("--images must be at least 1, not {}", options.images));
  if (options.classes < 1 || options.classes > options.images) {
    throw UsageError(fmt::format("--classes must be between 1 and the number of images, not {}", options.classes));
  }
  if (std::min(options.width, options.height) < 1 || std::max(options.width, options.height) > kMaxSide) {
    throw UsageError(
        fmt::format("--size must be between 1x1 and {0}x{0}, not {1}x{2}", kMaxSide, options.width, options.height));
  }
  std::error_code ignored;
  if (fs::exists(folder, ignored) && !(fs::is_directory(folder, ignored) && fs::is_empty(folder, ignored))) {
    throw Error(fmt::format("'{}' exists and is not an empty folder; remove it or name another", folder.string()));
  }
}

fs::path image_name(std::int64_t index, const ImageDatasetOptions& options) {
  return fs::path(fmt::format("class_{:04}", index % options.classes)) / fmt::format("image_{:07}.jpg", index);
}

// Hands out indices to a thread per core; the first exception ends them all and is thrown on.
class Crew {
 public:
  Crew(std::int64_t count, const DatasetProgress& progress) : count_(count), progress_(progress) {}

  template <class Work>
  void run(Work work) {
    std::vector<std::thread> threads;
    const std::int64_t cores = std::max(1U, std::thread::hardware_concurrency());
    for (std::int64_t i = 0; i < std::min(cores, count_); ++i) threads.emplace_back([&] { take_all(work); });
    for (std::thread& thread : threads) thread.join();
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  template <class Work>
  void take_all(Work& work) {
    try {
      for (std::int64_t index = next_++; index < count_; index = next_++) {
        work(index);
        const std::lock_guard lock(mutex_);
        ++done_;
        if (progress_) progress_(done_, count_);
      }
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!failure_) failure_ = std::current_exception();
      next_ = count_;
    }
  }

  std::int64_t count_;
  const DatasetProgress& progress_;
  std::atomic<std::int64_t> next_{0};
  std::mutex mutex_;
  std::int64_t done_ = 0;
  std::exception_ptr failure_;
};

}  // namespace

DatasetSize make_image_dataset(const fs::path& given, const ImageDatasetOptions& options,
                               const DatasetProgress& progress) {
  const fs::path folder = given.has_filename() ? given : given.parent_path();
  check(folder, options);
  PartialFolder partial(folder);
  for (std::int64_t i = 0; i < options.classes; ++i)
    create_folder((partial.path() / image_name(i, options)).parent_path());
  std::atomic<std::int64_t> bytes{0};
  Crew(options.images, progress).run([&](std::int64_t index) {
    const std::uint64_t seed = mix(options.seed) + static_cast<std::uint64_t>(index);
    const auto rgb = synthetic_image(options.width, options.height, seed);
    const auto jpeg = encode_jpeg(rgb, options.width, options.height);
    OutputFile file(partial.path() / image_name(index, options));
    file.write(std::as_bytes(std::span(jpeg)));
    file.finish();
    bytes += static_cast<std::int64_t>(jpeg.size());
  });
  partial.move_to(folder);
  return {options.images, bytes};
}

DatasetSize make_token_file(const fs::path& path, std::int64_t tokens, std::int64_t vocabulary, std::uint64_t seed,
                            const DatasetProgress& progress) {
  if (tokens < 2) throw UsageError(fmt::format("--tokens must be at least 2, not {}", tokens));
  if (vocabulary < 1 || vocabulary > 0xffff'ffffLL) {
    throw UsageError(fmt::format("--vocabulary must be between 1 and 4294967295, not {}", vocabulary));
  }
  TokenFileHeader header;
  header.token_bytes = vocabulary > 0x10000 ? 4 : 2;
  header.tokens = static_cast<std::uint64_t>(tokens);
  header.vocabulary = static_cast<std::uint64_t>(vocabulary);
  const fs::path partial = path.string() + ".partial";
  try {
    OutputFile file(partial);
    file.write(std::as_bytes(std::span(&header, 1)));
    Random random(seed);
    constexpr std::int64_t kChunk = 1 << 18;
    std::vector<std::byte> chunk;
    for (std::int64_t done = 0; done < tokens; done += kChunk) {
      const std::int64_t count = std::min(kChunk, tokens - done);
      chunk.resize(static_cast<std::size_t>(count) * header.token_bytes);
      for (std::int64_t i = 0; i < count; ++i) {
        const auto id = static_cast<std::uint32_t>(random.below(vocabulary));
        for (std::uint32_t b = 0; b < header.token_bytes; ++b) {
          chunk[static_cast<std::size_t>(i) * header.token_bytes + b] = static_cast<std::byte>(id >> (8 * b));
        }
      }
      file.write(chunk);
      if (progress) progress(done + count, tokens);
    }
    file.finish();
    move_into_place(partial, path);
  } catch (...) {
    std::error_code ignored;
    fs::remove(partial, ignored);
    throw;
  }
  return {tokens, static_cast<std::int64_t>(sizeof(header)) + tokens * header.token_bytes};
}

}  // namespace stash
