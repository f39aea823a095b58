#include "stash/launch/process/child.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "stash/core/error.h"
#include "stash/launch/process/exec_vectors.h"

namespace stash {
namespace {

class SpawnActions {
 public:
  SpawnActions() { posix_spawn_file_actions_init(&actions_); }
  SpawnActions(const SpawnActions&) = delete;
  SpawnActions& operator=(const SpawnActions&) = delete;
  ~SpawnActions() { posix_spawn_file_actions_destroy(&actions_); }
  posix_spawn_file_actions_t* get() { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_{};
};

// The child starts with every signal unblocked and at its default, whatever our threads have done to theirs.
class SpawnAttributes {
 public:
  explicit SpawnAttributes(bool own_group) {
    posix_spawnattr_init(&attributes_);
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setsigdefault(&attributes_, &all);
    const int group = own_group ? POSIX_SPAWN_SETPGROUP : 0;
    posix_spawnattr_setflags(&attributes_, static_cast<short>(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | group));
  }
  SpawnAttributes(const SpawnAttributes&) = delete;
  SpawnAttributes& operator=(const SpawnAttributes&) = delete;
  ~SpawnAttributes() { posix_spawnattr_destroy(&attributes_); }
  const posix_spawnattr_t* get() const { return &attributes_; }

 private:
  posix_spawnattr_t attributes_{};
};

pid_t spawn(const Command& command, const Pipe& output, const Pipe& errors) {
  SpawnActions actions;
  posix_spawn_file_actions_addopen(actions.get(), STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(actions.get(), output.write_end.get(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(actions.get(), errors.write_end.get(), STDERR_FILENO);
  // Onto itself: takes the close-on-exec mark away, in the child only.
  for (const int fd : command.inherited_fds) posix_spawn_file_actions_adddup2(actions.get(), fd, fd);
  if (command.folder) posix_spawn_file_actions_addchdir_np(actions.get(), command.folder->c_str());
  const SpawnAttributes attributes(command.deadline_s.has_value());
  std::vector<std::string> arguments = command.arguments;
  std::vector<std::string> environment = changed_environment(command.environment);
  pid_t pid = 0;
  const int error = posix_spawnp(&pid, arguments[0].c_str(), actions.get(), attributes.get(),
                                 null_terminated(arguments).data(), null_terminated(environment).data());
  if (error != 0) {
    const std::string where = command.folder ? fmt::format(" in {}", command.folder->string()) : "";
    throw Error(fmt::format("cannot start '{}'{}: {}", arguments[0], where, std::strerror(error)));
  }
  return pid;
}

}  // namespace

Pipe::Pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw Error(fmt::format("cannot make a pipe: {}", std::strerror(errno)));
  read_end.reset(ends[0]);
  write_end.reset(ends[1]);
  ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
}

Child::Child(const Command& command, const Pipe& output, const Pipe& errors)
    : own_group_(command.deadline_s.has_value()), pid_(spawn(command, output, errors)) {}

Child::~Child() {
  if (status_) return;
  kill();
  wait(0);
}

void Child::kill() { ::kill(own_group_ ? -pid_ : pid_, SIGKILL); }

bool Child::ended() { return status_ || wait(WNOHANG); }

int Child::status() {
  if (!status_) wait(0);
  return status_.value_or(0);
}

bool Child::wait(int options) {
  int status = 0;
  pid_t got = 0;
  do {
    got = ::waitpid(pid_, &status, options);
  } while (got < 0 && errno == EINTR);
  if (got == pid_) status_ = status;
  return got == pid_;
}

}  // namespace stash
