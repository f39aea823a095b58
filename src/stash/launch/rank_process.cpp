#include "stash/launch/rank_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

#include "stash/core/error.h"
#include "stash/launch/process/affinity.h"
#include "stash/launch/process/child.h"
#include "stash/launch/process/exec_vectors.h"
#include "stash/launch/process/forked_child.h"
#include "stash/launch/protocol/shared_names.h"

namespace stash {
namespace {

constexpr std::size_t kEventLimitBytes = 64u << 20;  // the whole of a large model's layers is far below
constexpr std::size_t kOutputLimitBytes = 4096;      // of one line that a rank prints
constexpr std::size_t kOutputLines = 12;             // kept for the message when the rank fails

std::vector<std::string> environment_of(const RankCommand& command, int event_fd, int shared_fd) {
  EnvironmentChanges changes(command.environment.begin(), command.environment.end());
  changes[kEventFdVariable] = std::to_string(event_fd);
  changes[kSharedFdVariable] = std::to_string(shared_fd);
  return changed_environment(changes);
}

}  // namespace

RankProcess::RankProcess(int index, const RankCommand& command, int shared_fd)
    : index_(index), events_(-1, 0), output_(-1, 0) {
  Pipe events, output;
  start(command, shared_fd, events.write_end.get(), output.write_end.get());
  events_ = LineReader(events.read_end.release(), kEventLimitBytes);
  output_ = LineReader(output.read_end.release(), kOutputLimitBytes);
}

bool RankProcess::runs() const {
  siginfo_t info{};
  return alive() && waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == 0;
}

void RankProcess::read(const OnRankEvent& on_event) {
  if (!events_.read_lines([&](std::string_view line) { on_event(index_, line); })) events_.close();
  if (!output_.read_lines([&](std::string_view line) { keep(line); })) output_.close();
}

void RankProcess::signal(int number) {
  if (!alive()) return;
  stopped_by_us_ = true;
  kill(pid_, number);
  kill(pid_, SIGCONT);  // a stopped process takes its signal only when it continues
}

std::optional<RankEnd> RankProcess::reap(const OnRankEvent& on_event) {
  int status = 0;
  if (!alive() || waitpid(pid_, &status, WNOHANG) != pid_) return std::nullopt;
  pid_ = -1;
  read(on_event);
  RankEnd end{.rank = index_,
              .exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 0,
              .signal = std::nullopt,
              .stopped_by_us = stopped_by_us_,
              .last_output = {}};
  if (WIFSIGNALED(status)) end.signal = WTERMSIG(status);
  for (const std::string& line : last_lines_) end.last_output += line + '\n';
  return end;
}

void RankProcess::kill_and_wait() {
  if (!alive()) return;
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
  pid_ = -1;
  events_.close();
  output_.close();
}

void RankProcess::start(const RankCommand& command, int shared_fd, int event_fd, int output_fd) {
  // Everything that allocates happens before fork.
  std::vector<std::string> arguments = command.arguments;
  std::vector<std::string> environment = environment_of(command, event_fd, shared_fd);
  const std::vector<char*> argv = null_terminated(arguments);
  const std::vector<char*> envp = null_terminated(environment);
  const pid_t supervisor = getpid();
  pid_ = fork();
  if (pid_ < 0) throw Error(fmt::format("cannot start rank {}: {}", index_, std::strerror(errno)));
  if (pid_ > 0) return;
  set_up_forked_child(supervisor, SIGKILL);  // after Ctrl-C it ends the ranks in order
  pin_to_cores(command.cores);
  const int null = open("/dev/null", O_RDONLY);
  dup2(null, 0);
  dup2(output_fd, 1);
  dup2(output_fd, 2);
  fcntl(event_fd, F_SETFD, 0);
  execvpe(argv[0], argv.data(), envp.data());
  dprintf(2, "cannot start %s: %s\n", argv[0], std::strerror(errno));
  _exit(127);
}

void RankProcess::keep(std::string_view line) {
  if (line.empty()) return;
  last_lines_.emplace_back(line);
  if (last_lines_.size() > kOutputLines) last_lines_.pop_front();
}

}  // namespace stash
