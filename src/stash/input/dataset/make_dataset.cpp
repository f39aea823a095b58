#include "stash/input/dataset/make_dataset.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <span>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "stash/core/error.h"
#include "stash/input/dataset/dataset_output.h"
#include "stash/input/dataset/synthetic_image.h"
#include "stash/input/dataset/token_file.h"
#include "stash/input/random.h"

namespace stash {

namespace {

namespace fs = std::filesystem;

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
class Writers {
 public:
  Writers(std::int64_t count, const DatasetProgress& progress) : count_(count), progress_(progress) {}

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

void append_id(std::vector<std::byte>& chunk, std::uint32_t id, std::uint32_t bytes) {
  for (std::uint32_t i = 0; i < bytes; ++i) chunk.push_back(static_cast<std::byte>(id >> (8 * i)));
}

void write_tokens(OutputFile& file, const TokenFileHeader& header, std::uint64_t seed,
                  const DatasetProgress& progress) {
  constexpr std::int64_t kChunk = 1 << 18;
  const auto tokens = static_cast<std::int64_t>(header.tokens);
  Random random(seed);
  std::vector<std::byte> chunk;
  for (std::int64_t done = 0; done < tokens; done = std::min(done + kChunk, tokens)) {
    chunk.clear();
    for (std::int64_t i = std::min(kChunk, tokens - done); i > 0; --i) {
      const std::int64_t id = random.below(static_cast<std::int64_t>(header.vocabulary));
      append_id(chunk, static_cast<std::uint32_t>(id), header.token_bytes);
    }
    file.write(chunk);
    if (progress) progress(std::min(done + kChunk, tokens), tokens);
  }
}

}  // namespace

DatasetSize make_image_dataset(const fs::path& given, const ImageDatasetOptions& options,
                               const DatasetProgress& progress) {
  const fs::path folder = given.has_filename() ? given : given.parent_path();
  check(folder, options);
  PartialFolder partial(folder);
  for (std::int64_t i = 0; i < options.classes; ++i)
    create_folder((partial.path() / image_name(i, options)).parent_path());
  std::atomic<std::int64_t> bytes{0};
  Writers(options.images, progress).run([&](std::int64_t index) {
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
    write_tokens(file, header, seed, progress);
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
