#include "stash/launch/process/stop_signals.h"

#include <sys/signalfd.h>
#include <unistd.h>

namespace stash {

StopSignals::StopSignals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGHUP);
  sigprocmask(SIG_BLOCK, &set, &before_);
  fd_ = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
}

StopSignals::~StopSignals() {
  close(fd_);
  sigprocmask(SIG_SETMASK, &before_, nullptr);
}

bool StopSignals::take() {
  signalfd_siginfo info;
  return read(fd_, &info, sizeof info) == static_cast<ssize_t>(sizeof info);
}

}  // namespace stash
