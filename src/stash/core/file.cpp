#include "stash/core/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <random>
#include <system_error>
#include <utility>

#include "stash/core/error.h"

namespace stash {

namespace {

namespace fs = std::filesystem;

std::string reason(int error) { return std::generic_category().message(error); }

[[noreturn]] void fail(std::string_view action, const fs::path& path, int error) {
  const std::string_view advice = error == ENOSPC || error == EDQUOT  ? "; free some space or choose another folder"
                                  : error == EACCES || error == EROFS ? "; check its permissions or choose another path"
                                                                      : "";
  throw Error(fmt::format("cannot {} '{}': {}{}", action, path.string(), reason(error), advice));
}

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  int get() const { return fd_; }
  int close() { return ::close(std::exchange(fd_, -1)); }

 private:
  int fd_;
};

// Unlinks the file unless it was renamed away.
class TemporaryFile {
 public:
  explicit TemporaryFile(fs::path path) : path_(std::move(path)) {}
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    if (!path_.empty()) ::unlink(path_.c_str());
  }
  void keep() { path_.clear(); }

 private:
  fs::path path_;
};

// 0 or the errno of the failure.
int write_all(int fd, std::string_view content) {
  while (!content.empty()) {
    const ssize_t written = ::write(fd, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    content.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

fs::path temporary_beside(const fs::path& target) {
  return target.parent_path() / fmt::format(".{}.{:08x}.tmp", target.filename().string(), std::random_device{}());
}

// A device or a pipe (/dev/stdout) is written to, never replaced.
bool is_special(const fs::path& path) {
  struct stat status{};
  return ::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

void write_special(const fs::path& path, std::string_view content) {
  Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (file.get() < 0) fail("open", path, errno);
  if (const int error = write_all(file.get(), content)) fail("write", path, error);
}

// A rename survives a power cut only when its folder is synced; file systems that cannot do so are left alone.
void sync_folder(const fs::path& folder) {
  const Descriptor descriptor(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (descriptor.get() >= 0) ::fsync(descriptor.get());
}

// Writes through a link to what it points to.
fs::path resolve(const fs::path& path) {
  std::error_code ignored;
  const fs::path target = fs::is_symlink(path, ignored) ? fs::weakly_canonical(path, ignored) : path;
  const fs::path& chosen = target.empty() ? path : target;
  return chosen.has_parent_path() ? chosen : fs::path(".") / chosen;
}

void check_target(const fs::path& path, const fs::path& target) {
  std::error_code ignored;
  if (path.empty()) throw Error("cannot write a file without a name");
  if (fs::is_directory(target, ignored) || !target.has_filename()) {
    throw Error(fmt::format("cannot write '{}': it is a folder; name a file in it", path.string()));
  }
  if (!fs::is_directory(target.parent_path(), ignored)) {
    throw Error(fmt::format("cannot write '{}': the folder '{}' does not exist; create it first", path.string(),
                            target.parent_path().string()));
  }
}

}  // namespace

std::string read_file(const fs::path& path, std::size_t limit_bytes) {
  // Non-blocking, so that a pipe without a writer is refused instead of waited for.
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.get() < 0) fail("open", path, errno);
  struct stat status{};
  if (::fstat(file.get(), &status) != 0) fail("read", path, errno);
  if (!S_ISREG(status.st_mode)) throw Error(fmt::format("cannot read '{}': it is not a file", path.string()));
  const auto too_large = [&](std::size_t size) {
    throw Error(fmt::format("'{}' has {} bytes or more; at most {} are read", path.string(), size, limit_bytes));
  };
  const auto size = static_cast<std::size_t>(status.st_size);
  if (size > limit_bytes) too_large(size);

  std::string content(size, '\0');
  std::size_t filled = 0;
  for (;;) {
    // A file may grow while it is read, and files of /proc say that they are empty.
    if (filled == content.size()) content.resize(content.size() + 4096);
    const ssize_t count = ::read(file.get(), content.data() + filled, content.size() - filled);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail("read", path, errno);
    if (count == 0) break;
    filled += static_cast<std::size_t>(count);
    if (filled > limit_bytes) too_large(filled);
  }
  content.resize(filled);
  return content;
}

void write_file_atomically(const fs::path& path, std::string_view content) {
  if (is_special(path)) return write_special(path, content);
  const fs::path target = resolve(path);
  check_target(path, target);

  const fs::path temporary_path = temporary_beside(target);
  Descriptor file(::open(temporary_path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (file.get() < 0) fail("write", path, errno);
  TemporaryFile temporary(temporary_path);
  if (const int error = write_all(file.get(), content)) fail("write", path, error);
  if (::fsync(file.get()) != 0) fail("write", path, errno);
  if (file.close() != 0) fail("write", path, errno);
  if (::rename(temporary_path.c_str(), target.c_str()) != 0) fail("write", path, errno);
  temporary.keep();
  sync_folder(target.parent_path());
}

}  // namespace stash
