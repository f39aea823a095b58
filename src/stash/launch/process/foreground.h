#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "stash/launch/process/exec_vectors.h"

namespace stash {

// How a command in the foreground ended.
struct ForegroundEnd {
  int exit_code = 0;  // as a shell gives it: 128 and the signal where one ended it
  std::optional<int> signal;
};

// Runs a command with our terminal, standard streams and process group, by argument vector, never through a shell, and
// waits for its end. A terminal's Ctrl-C is the command's alone; a SIGTERM that reaches us is passed on. `on_tick` is
// called a few times a second. Error when it cannot be started.
ForegroundEnd run_in_foreground(const std::vector<std::string>& arguments, const EnvironmentChanges& environment,
                                const std::function<void()>& on_tick);

}  // namespace stash
