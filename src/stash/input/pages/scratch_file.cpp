#include "stash/input/pages/scratch_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <random>
#include <span>
#include <vector>

#include "stash/core/error.h"

namespace stash {
namespace {

constexpr std::size_t kBlockBytes = 1 << 20;

// 0 or the errno of the failure.
int write_block(int fd, const std::vector<std::uint64_t>& block) {
  auto bytes = std::as_bytes(std::span(block));
  while (!bytes.empty()) {
    const ssize_t written = write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno != EINTR) return errno;
    if (written > 0) bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return 0;
}

int fill(int fd, std::int64_t bytes) {
  std::mt19937_64 random(1);
  std::vector<std::uint64_t> block(kBlockBytes / sizeof(std::uint64_t));
  for (std::int64_t done = 0; done < bytes; done += static_cast<std::int64_t>(kBlockBytes)) {
    for (std::uint64_t& word : block) word = random();
    if (const int error = write_block(fd, block)) return error;
  }
  return fsync(fd) == 0 ? 0 : errno;
}

}  // namespace

ScratchFile::ScratchFile(const std::filesystem::path& folder, std::int64_t bytes) {
  std::string name = (folder / "storage-rate.XXXXXX").string();
  fd_ = mkstemp(name.data());
  const int error = fd_ < 0 ? errno : (unlink(name.c_str()), fill(fd_, bytes));
  if (error == 0) return;
  if (fd_ >= 0) close(fd_);
  throw Error(
      fmt::format("cannot write a file to time in {}: {}; name another folder", folder.string(), std::strerror(error)));
}

ScratchFile::~ScratchFile() { close(fd_); }

}  // namespace stash
