#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stash/launch/process/exec_vectors.h"

namespace stash {

// A program to run once to its end, by argument vector, never through a shell; its standard input is empty.
struct Command {
  std::vector<std::string> arguments{};           // the first is looked up in PATH
  EnvironmentChanges environment{};               // to ours
  std::optional<std::filesystem::path> folder{};  // to run in; ours when absent
  std::optional<double> deadline_s{};  // then its process group, which it only has with a deadline, is killed
  std::size_t limit_bytes = 1 << 20;   // kept of each stream, from its start
  std::function<void(std::string_view)> on_line{};  // each line of its standard output, as it comes
  std::vector<int> inherited_fds{};                 // stay open in it
};

struct CommandResult {
  std::optional<int> exit_code;  // absent: ended by `signal`
  std::optional<int> signal;
  bool timed_out = false;
  bool truncated = false;  // more was written than is kept here
  std::string output;
  std::string errors;

  bool succeeded() const { return exit_code == 0; }
};

// Error when it cannot be started; how it ended is in the result.
CommandResult run_command(const Command& command);

// "exit code 2", "signal 9 (Killed)", "no end within its deadline".
std::string describe_end(const CommandResult& result);

// The executable file that `name` stands for in PATH; a name with a slash stands for itself.
std::optional<std::filesystem::path> find_program(std::string_view name);

}  // namespace stash
