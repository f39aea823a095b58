#include "stash/launch/process/background_command.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "stash/core/error.h"
#include "stash/launch/process/exec_vectors.h"

namespace stash {

BackgroundProcess::BackgroundProcess(const BackgroundCommand& command) {
  std::vector<std::string> arguments = command.arguments, environment = changed_environment({});
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, command.log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  posix_spawn_file_actions_adddup2(&files, STDOUT_FILENO, STDERR_FILENO);
  if (!command.folder.empty()) posix_spawn_file_actions_addchdir_np(&files, command.folder.c_str());
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);  // we may hold some back
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  const int fault = posix_spawnp(&pid_, arguments[0].c_str(), &files, &attributes, null_terminated(arguments).data(),
                                 null_terminated(environment).data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  if (fault != 0) throw Error(fmt::format("cannot start '{}': {}", arguments[0], std::strerror(fault)));
}

std::optional<int> BackgroundProcess::exit_code() {
  if (exit_code_) return exit_code_;
  int status = 0;
  const pid_t ended = waitpid(pid_, &status, WNOHANG);
  if (ended == pid_) exit_code_ = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  if (ended < 0 && errno == ECHILD) exit_code_ = 1;  // somebody else waited for it
  return exit_code_;
}

void BackgroundProcess::signal(int number) const { ::kill(-pid_, number); }

}  // namespace stash
