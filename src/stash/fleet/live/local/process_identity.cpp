#include "stash/fleet/live/local/process_identity.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

#include "stash/core/error.h"
#include "stash/launch/process/child.h"
#include "stash/launch/process/exec_vectors.h"

namespace stash {
namespace {

constexpr int kStartField = 19;  // of /proc/PID/stat, counted from the state on, which is field 0

}  // namespace

std::optional<ProcessIdentity> identity_of(int pid) {
  std::ifstream file(fmt::format("/proc/{}/stat", pid));
  std::string line;
  if (pid <= 0 || !std::getline(file, line)) return std::nullopt;
  const std::size_t name_end = line.rfind(')');  // a name may hold anything
  if (name_end == std::string::npos) return std::nullopt;
  std::istringstream fields(line.substr(name_end + 1));
  std::string state;
  fields >> state;
  if (state == "Z" || state == "X") return std::nullopt;
  std::string field;
  for (int i = 1; i < kStartField && fields >> field; ++i) continue;
  ProcessIdentity found{.pid = pid};
  if (!(fields >> found.start_ticks)) return std::nullopt;
  return found;
}

ProcessIdentity own_identity() { return identity_of(getpid()).value_or(ProcessIdentity{.pid = getpid()}); }

bool is_alive(const ProcessIdentity& process) { return identity_of(process.pid) == process; }

void signal_process(const ProcessIdentity& process, int number) {
  const Fd handle(static_cast<int>(::syscall(SYS_pidfd_open, process.pid, 0)));
  if (handle.get() < 0 || !is_alive(process)) return;  // from here on the handle is of this process
  ::syscall(SYS_pidfd_send_signal, handle.get(), number, nullptr, 0);
}

ProcessIdentity start_detached(std::vector<std::string> arguments, const std::filesystem::path& log) {
  std::vector<std::string> environment = changed_environment({});
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
  posix_spawn_file_actions_adddup2(&files, STDOUT_FILENO, STDERR_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSID);
  pid_t pid = 0;
  const int fault = posix_spawnp(&pid, arguments[0].c_str(), &files, &attributes, null_terminated(arguments).data(),
                                 null_terminated(environment).data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  if (fault != 0) throw Error(fmt::format("cannot start '{}': {}", arguments[0], std::strerror(fault)));
  // One that has ended already is told by its number, which is ours until we reap it.
  return identity_of(pid).value_or(ProcessIdentity{.pid = pid});
}

int reap(const std::vector<ProcessIdentity>& processes) {
  int ended = 0;
  for (const ProcessIdentity& one : processes) {
    if (one.pid > 0 && waitpid(one.pid, nullptr, WNOHANG) == one.pid) ++ended;
  }
  return ended;
}

}  // namespace stash
