#include "stash/launch/process/forked_child.h"

#include <sys/prctl.h>
#include <unistd.h>

#include <csignal>

namespace stash {

void set_up_forked_child(pid_t parent, int end_signal) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, end_signal);
  if (getppid() != parent) _exit(127);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
}

}  // namespace stash
