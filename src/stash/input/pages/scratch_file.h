#pragma once

#include <cstdint>
#include <filesystem>

namespace stash {

// A file of random bytes, which no file system can shrink, on disk; unlinked at once, so that nothing is left of it.
class ScratchFile {
 public:
  // Whole MiB. Error: it cannot be made in `folder`.
  ScratchFile(const std::filesystem::path& folder, std::int64_t bytes);
  ~ScratchFile();
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;

  int fd() const { return fd_; }

 private:
  int fd_ = -1;
};

}  // namespace stash
