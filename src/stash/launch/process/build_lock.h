#pragma once

#include <filesystem>
#include <functional>

namespace stash {

// Holds an exclusive lock on a file, between processes. A child that inherits fd() holds it too, so that a build which
// outlives its killed parent is waited for.
class BuildLock {
 public:
  // Calls `on_wait` once when another has it. Error when it is not free after `deadline_s`.
  BuildLock(const std::filesystem::path& file, double deadline_s, const std::function<void()>& on_wait);
  BuildLock(const BuildLock&) = delete;
  BuildLock& operator=(const BuildLock&) = delete;
  ~BuildLock();

  int fd() const { return fd_; }

 private:
  int fd_;
};

}  // namespace stash
