#include "stash/launch/serving/worker_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <system_error>

#include "stash/core/error.h"
#include "stash/launch/process/exec_vectors.h"
#include "stash/launch/process/forked_child.h"
#include "stash/launch/protocol/shared_names.h"

namespace stash {
namespace {

constexpr std::size_t kNewsBytes = 1u << 20;  // of one line
constexpr std::size_t kPrintedBytes = 2000;   // of one line that a model prints
constexpr std::size_t kPrintedLines = 12;     // kept for the message when it ends

// The order as a file that has no name.
int order_file(const WorkerOrder& order) {
  const std::string text = worker_order_text(order);
  const int fd = memfd_create("stash worker order", MFD_CLOEXEC);
  if (fd < 0 || write(fd, text.data(), text.size()) != static_cast<ssize_t>(text.size()) ||
      lseek(fd, 0, SEEK_SET) != 0) {
    throw Error(fmt::format("cannot write the order of a worker: {}", std::strerror(errno)));
  }
  return fd;
}

std::vector<std::string> worker_environment(const WorkerInterpreter& interpreter, const WorkerOrder& order,
                                            int order_fd) {
  std::string path = interpreter.extension_folder.string() + ':' + interpreter.package_folder.string();
  if (const char* own = std::getenv("PYTHONPATH"); own != nullptr && *own != '\0') path += ':' + std::string(own);
  EnvironmentChanges changes{{"PYTHONPATH", path},
                             {"PYTHONUNBUFFERED", "1"},
                             {"TORCH_CPP_LOG_LEVEL", "ERROR"},
                             {"OMP_NUM_THREADS", std::to_string(order.threads)},
                             {"MKL_NUM_THREADS", std::to_string(order.threads)},
                             {kOrderVariable, std::to_string(order_fd)}};
  changes.insert(interpreter.environment.begin(), interpreter.environment.end());
  return changed_environment(changes);
}

}  // namespace

WorkerProcess::WorkerProcess(const WorkerInterpreter& interpreter, WorkerOrder order) {
  Pipe events, output;
  order.event_fd = events.write_end.get();
  start(interpreter, order, output.write_end.get());
  events_ = LineReader(events.read_end.release(), kNewsBytes);
  output_ = LineReader(output.read_end.release(), kPrintedBytes);
  end_.reset(static_cast<int>(syscall(SYS_pidfd_open, pid_, 0)));
}

WorkerProcess::~WorkerProcess() {
  events_.close();
  output_.close();
  if (pid_ <= 0) return;
  kill();
  waitpid(pid_, nullptr, 0);
}

void WorkerProcess::start(const WorkerInterpreter& interpreter, const WorkerOrder& order, int output_fd) {
  const Fd order_fd(order_file(order));
  std::vector<std::string> arguments{interpreter.python.string(), "-m", "stash.serve_worker"};
  std::vector<std::string> environment = worker_environment(interpreter, order, order_fd.get());
  const std::vector<char*> argv = null_terminated(arguments);
  const std::vector<char*> envp = null_terminated(environment);
  const pid_t server = getpid();
  pid_ = fork();
  if (pid_ < 0) throw Error(fmt::format("cannot start a worker for {}: {}", order.name, std::strerror(errno)));
  if (pid_ > 0) return;
  set_up_forked_child(server, SIGKILL);
  const sched_param no_priority{};
  sched_setscheduler(0, SCHED_BATCH, &no_priority);
  const int null = open("/dev/null", O_RDONLY);
  dup2(null, 0);
  dup2(output_fd, 1);
  dup2(output_fd, 2);
  for (const int fd : {order.board_fd, order.arena_fd, order.order_fd, order.done_fd, order.event_fd, order_fd.get()}) {
    fcntl(fd, F_SETFD, 0);
  }
  execvpe(argv[0], argv.data(), envp.data());
  dprintf(2, "cannot start %s: %s\n", argv[0], std::strerror(errno));
  _exit(127);
}

void WorkerProcess::read(const std::function<void(std::string_view line)>& on_line) {
  if (events_.fd() >= 0 && !events_.read_lines(on_line)) events_.close();
  if (output_.fd() >= 0 && !output_.read_lines([&](std::string_view line) { keep(line); })) output_.close();
}

void WorkerProcess::serve_at_once() const {
  const sched_param no_priority{};
  std::error_code gone;
  std::filesystem::directory_iterator thread(fmt::format("/proc/{}/task", pid_), gone);
  for (; !gone && thread != std::filesystem::directory_iterator(); thread.increment(gone)) {
    sched_setscheduler(std::atoi(thread->path().filename().c_str()), SCHED_OTHER, &no_priority);
  }
}

void WorkerProcess::kill() {
  if (pid_ > 0) ::kill(pid_, SIGKILL);
}

std::optional<std::string> WorkerProcess::end() {
  int status = 0;
  if (pid_ <= 0 || waitpid(pid_, &status, WNOHANG) != pid_) return std::nullopt;
  pid_ = -1;
  read([](std::string_view) {});
  std::string text = WIFSIGNALED(status) ? fmt::format("signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)))
                                         : fmt::format("exit code {}", WEXITSTATUS(status));
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) text += ", perhaps for lack of memory";
  if (!last_lines_.empty()) text += ": " + last_lines_.back();
  return text;
}

void WorkerProcess::keep(std::string_view line) {
  if (line.empty()) return;
  last_lines_.emplace_back(line);
  if (last_lines_.size() > kPrintedLines) last_lines_.pop_front();
}

}  // namespace stash
