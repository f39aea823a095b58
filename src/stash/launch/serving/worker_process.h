#pragma once

#include <sys/types.h>

#include <deque>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stash/launch/process/child.h"
#include "stash/launch/process/exec_vectors.h"
#include "stash/launch/process/line_channel.h"
#include "stash/launch/serving/worker_messages.h"

namespace stash {

// With what workers are started.
struct WorkerInterpreter {
  std::filesystem::path python;
  std::filesystem::path extension_folder;  // of `_stash`
  std::filesystem::path package_folder;    // of the package `stash`
  EnvironmentChanges environment{};
};

// The process that holds a model. It dies with the one that started it, and with this object.
class WorkerProcess {
 public:
  // `order`'s event_fd is set here; its other file descriptors are inherited. Error where it cannot be started.
  WorkerProcess(const WorkerInterpreter& interpreter, WorkerOrder order);
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;
  ~WorkerProcess();

  pid_t pid() const { return pid_; }
  // To be read: what it tells, what it prints, its end.
  std::vector<int> fds() const { return {events_.fd(), output_.fd(), end_.get()}; }
  void read(const std::function<void(std::string_view line)>& on_line);
  // It begins as one that does not interrupt others when it is woken, so that loading disturbs nobody who serves. From
  // now on it does.
  void serve_at_once() const;
  void kill();
  // How it ended, once it has, with its last words; does not wait.
  std::optional<std::string> end();

 private:
  void start(const WorkerInterpreter& interpreter, const WorkerOrder& order, int output_fd);
  void keep(std::string_view line);

  pid_t pid_ = -1;
  Fd end_;  // a pidfd
  LineReader events_{-1, 0};
  LineReader output_{-1, 0};
  std::deque<std::string> last_lines_;
};

}  // namespace stash
