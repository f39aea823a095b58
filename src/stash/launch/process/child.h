#pragma once

#include <unistd.h>

#include <optional>
#include <utility>

#include "stash/launch/process/subprocess.h"

namespace stash {

// Owns a file descriptor.
class Fd {
 public:
  Fd() = default;
  explicit Fd(int fd) : fd_(fd) {}
  Fd(const Fd&) = delete;
  Fd& operator=(const Fd&) = delete;
  ~Fd() { close(); }
  int get() const { return fd_; }
  int release() { return std::exchange(fd_, -1); }  // the caller owns it from now on
  void reset(int fd) {
    close();
    fd_ = fd;
  }
  void close() {
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
  }

 private:
  int fd_ = -1;
};

// Both ends close on exec; reading does not block.
struct Pipe {
  Pipe();
  Fd read_end, write_end;
};

// A started child. It never outlives this object: what has not ended is killed, with its group if it has one.
class Child {
 public:
  Child(const Command& command, const Pipe& output, const Pipe& errors);  // Error when it cannot be started
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child();

  void kill();
  bool ended();  // does not wait
  int status();  // waits; as waitpid gives it

 private:
  bool wait(int options);

  bool own_group_;
  pid_t pid_;
  std::optional<int> status_;
};

}  // namespace stash
