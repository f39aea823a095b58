#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace stash {

// A command that runs beside us, in a process group of its own: no standard input, and all that it prints goes to a
// file.
struct BackgroundCommand {
  std::vector<std::string> arguments;  // the first is looked up in PATH
  std::filesystem::path folder;        // to run in; empty: ours
  std::filesystem::path log;           // replaced
};

// Its process; not killed with this object. Error when it cannot be started.
class BackgroundProcess {
 public:
  explicit BackgroundProcess(const BackgroundCommand& command);

  pid_t pid() const { return pid_; }
  // As a shell gives it, 128 and the signal where one ended it; nullopt while it runs. Does not wait.
  std::optional<int> exit_code();
  void signal(int number) const;  // to its group

 private:
  pid_t pid_ = 0;
  std::optional<int> exit_code_;
};

}  // namespace stash
