#include "stash/launch/process/build_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "stash/core/clock.h"
#include "stash/core/error.h"

namespace stash {
namespace {

constexpr double kRetry_s = 0.1;  // short beside a build, long beside a system call

int open_lock(const std::filesystem::path& file) {
  const int fd = ::open(file.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0666);
  if (fd < 0) throw Error(fmt::format("cannot open the lock {}: {}", file.string(), std::strerror(errno)));
  return fd;
}

bool try_lock(int fd) { return ::flock(fd, LOCK_EX | LOCK_NB) == 0; }

}  // namespace

BuildLock::BuildLock(const std::filesystem::path& file, double deadline_s, const std::function<void()>& on_wait)
    : fd_(open_lock(file)) {
  const std::int64_t deadline_ns = now_ns() + nanoseconds(deadline_s);
  bool told = false;
  while (!try_lock(fd_)) {
    if (!told && on_wait) on_wait();
    told = true;
    if (now_ns() >= deadline_ns) {
      ::close(fd_);
      throw Error(
          fmt::format("another process has held {} for {} s; end it, then try again", file.string(), deadline_s));
    }
    sleep_until_ns(now_ns() + nanoseconds(kRetry_s));
  }
}

BuildLock::~BuildLock() { ::close(fd_); }

}  // namespace stash
