#include "stash/import/byte_source.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "stash/core/error.h"

namespace stash {
namespace {

constexpr std::array<unsigned char, 2> kGzipMagic{0x1f, 0x8b};
constexpr unsigned kGzipBuffer_bytes = 128 * 1024;  // zlib's own advice for throughput
constexpr std::size_t kPerCall_bytes = 64 * 1024;   // a call that meets damage gives nothing of what it unpacked

// A descriptor that closes itself; `open` throws, naming the file.
class Descriptor {
 public:
  explicit Descriptor(const std::filesystem::path& path) : path_(path.string()) {
    number_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (number_ < 0) fail(errno);
  }
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(Descriptor&& other) noexcept : path_(std::move(other.path_)), number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&&) = delete;

  int get() const { return number_; }
  int release() { return std::exchange(number_, -1); }
  const std::string& path() const { return path_; }

  [[noreturn]] void fail(int error) const {
    throw Error(fmt::format("cannot read {}: {}; name a trace that torch.profiler wrote", path_, std::strerror(error)));
  }

 private:
  std::string path_;
  int number_ = -1;
};

class PlainBytes final : public ByteSource {
 public:
  explicit PlainBytes(Descriptor file) : file_(std::move(file)) {
    posix_fadvise(file_.get(), 0, 0, POSIX_FADV_SEQUENTIAL);
  }

  std::size_t read(std::span<char> into) override {
    std::size_t done = 0;
    while (done < into.size()) {
      const ssize_t got = ::read(file_.get(), into.data() + done, into.size() - done);
      if (got == 0) break;
      if (got < 0 && errno != EINTR) file_.fail(errno);
      if (got > 0) done += static_cast<std::size_t>(got);
    }
    return done;
  }

 private:
  Descriptor file_;
};

class GzipBytes final : public ByteSource {
 public:
  explicit GzipBytes(Descriptor file) : file_(gzdopen(file.get(), "rb")) {
    if (file_ == nullptr) file.fail(ENOMEM);
    file.release();
    gzbuffer(file_, kGzipBuffer_bytes);
  }
  ~GzipBytes() override { gzclose(file_); }
  GzipBytes(const GzipBytes&) = delete;
  GzipBytes& operator=(const GzipBytes&) = delete;

  std::size_t read(std::span<char> into) override {
    std::size_t done = 0;
    while (done < into.size() && !cut_short_) {
      const auto wanted = static_cast<unsigned>(std::min(into.size() - done, kPerCall_bytes));
      const int got = gzread(file_, into.data() + done, wanted);
      if (got > 0) done += static_cast<std::size_t>(got);
      if (got < 0 || static_cast<unsigned>(got) < wanted) note_end();
      if (got <= 0) break;
    }
    return done;
  }
  bool cut_short() const override { return cut_short_; }

 private:
  void note_end() {
    int state = Z_OK;
    gzerror(file_, &state);
    if (state != Z_OK && state != Z_STREAM_END) cut_short_ = true;
  }

  gzFile file_;
  bool cut_short_ = false;
};

bool is_gzip(const Descriptor& file) {
  std::array<unsigned char, 2> first{};
  return ::pread(file.get(), first.data(), first.size(), 0) == 2 && first == kGzipMagic;
}

}  // namespace

std::unique_ptr<ByteSource> open_bytes(const std::filesystem::path& path) {
  Descriptor file(path);
  struct stat facts{};
  if (fstat(file.get(), &facts) != 0) file.fail(errno);
  if (S_ISDIR(facts.st_mode)) file.fail(EISDIR);
  if (is_gzip(file)) return std::make_unique<GzipBytes>(std::move(file));
  return std::make_unique<PlainBytes>(std::move(file));
}

}  // namespace stash
