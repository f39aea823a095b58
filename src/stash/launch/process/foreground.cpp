#include "stash/launch/process/foreground.h"

#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>

#include "stash/core/clock.h"
#include "stash/core/error.h"

namespace stash {
namespace {

constexpr double kTick_s = 0.1;

std::atomic<pid_t> foreground_pid{0};

void pass_on(int signal) {
  const pid_t pid = foreground_pid.load();
  if (pid > 0) ::kill(pid, signal);
}

// While it lives, Ctrl-C does not end us, and SIGTERM goes to the command.
class SignalsPassedOn {
 public:
  SignalsPassedOn() {
    struct sigaction ignore{};
    ignore.sa_handler = SIG_IGN;
    struct sigaction pass{};
    pass.sa_handler = pass_on;
    sigaction(SIGINT, &ignore, &interrupt_);
    sigaction(SIGQUIT, &ignore, &quit_);
    sigaction(SIGTERM, &pass, &terminate_);
  }
  ~SignalsPassedOn() {
    sigaction(SIGINT, &interrupt_, nullptr);
    sigaction(SIGQUIT, &quit_, nullptr);
    sigaction(SIGTERM, &terminate_, nullptr);
  }
  SignalsPassedOn(const SignalsPassedOn&) = delete;
  SignalsPassedOn& operator=(const SignalsPassedOn&) = delete;

 private:
  struct sigaction interrupt_{}, quit_{}, terminate_{};
};

pid_t spawn(std::vector<std::string> arguments, std::vector<std::string> environment) {
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t reset;
  sigemptyset(&reset);
  for (const int signal : {SIGINT, SIGQUIT, SIGTERM}) sigaddset(&reset, signal);
  posix_spawnattr_setsigdefault(&attributes, &reset);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  pid_t pid = 0;
  const int fault = posix_spawnp(&pid, arguments[0].c_str(), nullptr, &attributes, null_terminated(arguments).data(),
                                 null_terminated(environment).data());
  posix_spawnattr_destroy(&attributes);
  if (fault != 0) throw Error(fmt::format("cannot start '{}': {}", arguments[0], std::strerror(fault)));
  return pid;
}

}  // namespace

ForegroundEnd run_in_foreground(const std::vector<std::string>& arguments, const EnvironmentChanges& environment,
                                const std::function<void()>& on_tick) {
  const SignalsPassedOn signals;
  const pid_t pid = spawn(arguments, changed_environment(environment));
  foreground_pid = pid;
  int status = 0;
  for (;;) {
    const pid_t ended = waitpid(pid, &status, WNOHANG);
    if (ended == pid || (ended < 0 && errno != EINTR)) break;
    on_tick();
    sleep_until_ns(now_ns() + nanoseconds(kTick_s));
  }
  foreground_pid = 0;
  on_tick();
  if (WIFSIGNALED(status)) return {128 + WTERMSIG(status), WTERMSIG(status)};
  return {WEXITSTATUS(status), std::nullopt};
}

}  // namespace stash
