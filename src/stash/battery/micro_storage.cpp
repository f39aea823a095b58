#include "stash/battery/micro_storage.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>

#include "stash/core/clock.h"
#include "stash/core/error.h"
#include "stash/input/pages/page_cache.h"
#include "stash/input/pages/scratch_file.h"
#include "stash/input/pages/timed_read.h"

namespace stash {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kReadBytes = 1 << 20;  // what readers of large files ask for
constexpr int kFilesInWindow = 8;
// A thumbnail, ImageNet's mean, a camera's picture.
constexpr std::array<std::pair<const char*, std::int64_t>, 3> kFileSizes{
    {{"storage_files_10kB", 10'000}, {"storage_files_110kB", 110'000}, {"storage_files_1MB", 1'000'000}}};
struct RandomReads {
  const char* name;
  std::int64_t bytes;
  int in_window;
};
constexpr std::array<RandomReads, 2> kRandomReads{
    {{"storage_random_4k", 4096, 128}, {"storage_random_128k", 128 << 10, 32}}};
enum class Pages { cold, hot };

// False where they cannot be brought into that state.
bool bring(Pages wanted, const PageRange& range) {
  if (wanted == Pages::hot) {
    load_pages(range);
    return true;
  }
  evict_pages(range);
  return is_evicted(range);
}

// Files in a folder of their own, which is removed with them.
class ScratchFolder {
 public:
  explicit ScratchFolder(const fs::path& parent) {
    std::string name = (parent / (std::string(kStorageFiles) + "XXXXXX")).string();
    if (mkdtemp(name.data()) == nullptr) {
      throw Error(fmt::format("cannot make a folder to time in {}: {}; name another folder", parent.string(),
                              std::strerror(errno)));
    }
    path_ = name;
  }
  ~ScratchFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  fs::path file(int number) const { return path_ / std::to_string(number); }

 private:
  fs::path path_;
};

// An open file of the folder; closed at the end.
class OpenFile {
 public:
  OpenFile(const fs::path& path, int flags) : fd_(::open(path.c_str(), flags | O_CLOEXEC, 0600)) {
    if (fd_ < 0) throw Error(fmt::format("cannot open {}: {}", path.string(), std::strerror(errno)));
  }
  ~OpenFile() { ::close(fd_); }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  int fd() const { return fd_; }

 private:
  int fd_;
};

void fill(const fs::path& path, std::int64_t bytes, std::mt19937_64& random) {
  std::vector<std::uint64_t> words(static_cast<std::size_t>(bytes) / sizeof(std::uint64_t));
  for (std::uint64_t& word : words) word = random();
  const OpenFile file(path, O_CREAT | O_WRONLY);
  const auto size = words.size() * sizeof(std::uint64_t);
  if (::write(file.fd(), words.data(), size) != static_cast<ssize_t>(size) || ::fsync(file.fd()) != 0) {
    throw Error(fmt::format("cannot write {}: {}; free some space", path.string(), std::strerror(errno)));
  }
}

class StorageTimer {
 public:
  explicit StorageTimer(fs::path folder) : folder_(std::move(folder)), buffer_(kReadBytes) {}

  void time_file(std::int64_t bytes) {
    const ScratchFile file(folder_, bytes);
    for (const Pages pages : {Pages::cold, Pages::hot}) time_sequential(file.fd(), bytes, pages);
    posix_fadvise(file.fd(), 0, 0, POSIX_FADV_RANDOM);  // what is read ahead was not asked for
    for (const RandomReads& reads : kRandomReads) {
      for (const Pages pages : {Pages::cold, Pages::hot}) time_random(file.fd(), bytes, reads, pages);
    }
  }

  void time_small_files() {
    for (const auto& [name, bytes] : kFileSizes) {
      const ScratchFolder files(folder_);
      for (int i = 0; i < kFilesInWindow; ++i) fill(files.file(i), bytes, random_);
      for (const Pages pages : {Pages::cold, Pages::hot}) time_files(files, name, bytes, pages);
    }
  }

  std::vector<Figure> take() { return std::move(figures_); }

 private:
  void time_sequential(int fd, std::int64_t bytes, Pages pages) {
    std::vector<double> rates;
    for (int window = 0; window < kFigureWindows; ++window) {
      const PageRange range{fd, bytes / kFigureWindows * window, bytes / kFigureWindows};
      if (!bring(pages, range)) break;
      rates.push_back(static_cast<double>(range.bytes) / timed_read_s(range, buffer_));
    }
    add("storage_sequential", pages, "bytes_per_s", std::move(rates));
  }

  void time_random(int fd, std::int64_t bytes, const RandomReads& reads, Pages pages) {
    std::uniform_int_distribution<std::int64_t> place(0, bytes / reads.bytes - 1);
    std::vector<double> rates;
    for (int window = 0; window < kFigureWindows; ++window) {
      if (!bring(pages, {fd, 0, 0})) break;
      double s = 0;
      for (int i = 0; i < reads.in_window; ++i) {
        s += timed_read_s({fd, place(random_) * reads.bytes, reads.bytes}, buffer_);
      }
      rates.push_back(reads.in_window / s);
    }
    add(reads.name, pages, "reads_per_s", std::move(rates));
  }

  void time_files(const ScratchFolder& files, const char* name, std::int64_t bytes, Pages pages) {
    std::vector<double> rates;
    for (int window = 0; window < kFigureWindows; ++window) {
      bool brought = true;
      for (int i = 0; i < kFilesInWindow; ++i) {
        brought = bring(pages, {OpenFile(files.file(i), O_RDONLY).fd(), 0, 0}) && brought;
      }
      if (!brought) break;
      const std::int64_t start_ns = now_ns();
      for (int i = 0; i < kFilesInWindow; ++i) {
        timed_read_s({OpenFile(files.file(i), O_RDONLY).fd(), 0, bytes}, buffer_);
      }
      rates.push_back(kFilesInWindow / seconds(now_ns() - start_ns));
    }
    add(name, pages, "files_per_s", std::move(rates));
  }

  void add(std::string name, Pages pages, std::string unit, std::vector<double> rates) {
    const char* const setting = pages == Pages::cold ? "cold" : "hot";
    if (rates.size() == kFigureWindows) {
      figures_.push_back(make_figure(std::move(name), setting, std::move(unit), std::move(rates)));
    } else {
      figures_.push_back(
          absent_figure(std::move(name), setting, std::move(unit),
                        fmt::format("pages cannot be evicted in {}; name a folder on a disk", folder_.string())));
    }
  }

  fs::path folder_;
  std::vector<std::uint8_t> buffer_;
  std::mt19937_64 random_{1};
  std::vector<Figure> figures_;
};

}  // namespace

std::vector<Figure> measure_storage(const fs::path& folder, std::int64_t bytes) {
  StorageTimer timer(folder);
  timer.time_file(bytes);
  timer.time_small_files();
  return timer.take();
}

}  // namespace stash
