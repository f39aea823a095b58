#include "stash/launch/serving/mps_daemon.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "stash/core/clock.h"
#include "stash/core/error.h"
#include "stash/launch/process/forked_child.h"

namespace stash {
namespace {

constexpr const char* kPipeVariable = "CUDA_MPS_PIPE_DIRECTORY";
constexpr const char* kProgram = "nvidia-cuda-mps-control";
constexpr double kStart_s = 10, kEnd_s = 5, kAskAgain_s = 0.02;

}  // namespace

MpsDaemon::MpsDaemon() {
  if (const char* const given = std::getenv(kPipeVariable); given != nullptr && *given != '\0') return;
  environment_ = {{kPipeVariable, folder_.path().string()}, {"CUDA_MPS_LOG_DIRECTORY", folder_.path().string()}};
  start();
  wait_until_it_answers();
}

MpsDaemon::~MpsDaemon() {
  if (pid_ <= 0) return;
  kill(-pid_, SIGTERM);
  const std::int64_t end_ns = now_ns() + nanoseconds(kEnd_s);
  while (!has_ended() && now_ns() < end_ns) sleep_until_ns(now_ns() + nanoseconds(kAskAgain_s));
  kill(-pid_, SIGKILL);  // the server that it started
  if (!has_ended()) waitpid(pid_, nullptr, 0);
}

void MpsDaemon::start() {
  std::vector<std::string> arguments{kProgram, "-f"}, environment = changed_environment(environment_);
  const std::vector<char*> argv = null_terminated(arguments), envp = null_terminated(environment);
  const pid_t server = getpid();
  pid_ = fork();
  if (pid_ < 0) throw Error(fmt::format("cannot start {}: {}", kProgram, std::strerror(errno)));
  if (pid_ > 0) return;
  set_up_forked_child(server, SIGTERM);
  const int null = open("/dev/null", O_RDWR);
  for (const int fd : {0, 1, 2}) dup2(null, fd);
  execvpe(argv[0], argv.data(), envp.data());
  _exit(127);
}

void MpsDaemon::wait_until_it_answers() {
  const std::int64_t end_ns = now_ns() + nanoseconds(kStart_s);
  while (!std::filesystem::exists(folder_.path() / "control")) {
    if (!has_ended() && now_ns() < end_ns) {
      sleep_until_ns(now_ns() + nanoseconds(kAskAgain_s));
      continue;
    }
    throw Error(
        fmt::format("NVIDIA's multi-process service ({}) could not be started, and without it models cannot "
                    "work on a GPU at the same time: install it with the driver, or leave --share away",
                    kProgram));
  }
}

bool MpsDaemon::has_ended() {
  if (pid_ <= 0) return true;
  int status = 0;
  const pid_t ended = waitpid(pid_, &status, WNOHANG);
  return ended == pid_ || (ended < 0 && errno == ECHILD);
}

}  // namespace stash
