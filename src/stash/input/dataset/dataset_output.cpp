#include "stash/input/dataset/dataset_output.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>
#include <system_error>
#include <utility>

#include "stash/core/error.h"

namespace stash {

namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(std::string_view action, const fs::path& path, int error) {
  throw Error(fmt::format("cannot {} '{}': {}{}", action, path.string(), std::generic_category().message(error),
                          error == ENOSPC || error == EDQUOT ? "; free some space or make a smaller data set" : ""));
}

}  // namespace

OutputFile::OutputFile(fs::path path)
    : path_(std::move(path)), fd_(::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644)) {
  if (fd_ < 0) fail("create", path_, errno);
}

OutputFile::~OutputFile() {
  if (fd_ >= 0) ::close(fd_);
}

void OutputFile::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(fd_, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail("write", path_, errno);
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
}

void OutputFile::finish() {
  if (::fdatasync(fd_) != 0) fail("write", path_, errno);
  if (::close(std::exchange(fd_, -1)) != 0) fail("write", path_, errno);
}

PartialFolder::PartialFolder(const fs::path& target) : path_(target.string() + ".partial") {
  create_folder(path_);
  fd_ = ::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd_ < 0) fail("open", path_, errno);
  if (::flock(fd_, LOCK_EX | LOCK_NB) != 0) {
    ::close(fd_);
    throw Error(fmt::format("another process is making '{}'; wait for it to end", target.string()));
  }
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(path_, error)) fs::remove_all(entry.path(), error);
}

PartialFolder::~PartialFolder() {
  std::error_code ignored;
  if (!moved_) fs::remove_all(path_, ignored);
  ::close(fd_);
}

void PartialFolder::move_to(const fs::path& target) {
  move_into_place(path_, target);
  moved_ = true;
}

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

}  // namespace stash
