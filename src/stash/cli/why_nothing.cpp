#include "stash/cli/why_nothing.h"

#include <fmt/format.h>

namespace stash {
namespace {

// Interpreter flags under which Python does not look at the environment.
std::string isolating_flag(const std::vector<std::string>& command) {
  for (std::size_t i = 1; i < command.size(); ++i) {
    const std::string& word = command[i];
    if (word.size() < 2 || word[0] != '-' || word[1] == '-') break;  // the script, or a long flag
    if (word.find_first_of("IES") != std::string::npos) return word;
  }
  return "";
}

}  // namespace

std::string why_nothing(Attached attached, const std::vector<std::string>& command) {
  switch (attached) {
    case Attached::no_python:
      if (const std::string flag = isolating_flag(command); !flag.empty()) {
        return fmt::format(
            "nothing was seen: under {} Python ignores the environment through which Stash attaches; "
            "leave it out",
            flag);
      }
      return fmt::format("nothing was seen: '{}' started no Python process that Stash could attach to", command[0]);
    case Attached::no_torch:
      return "nothing was measured: the command's Python processes never imported torch's optimizers";
    case Attached::no_step:
      return "nothing was measured: torch was imported, and no optimizer made a step; scripts without one call "
             "stash.mark_step()";
    case Attached::trained:
      break;
  }
  return "";
}

std::string bad_end(const ForegroundEnd& end) {
  if (end.signal) return fmt::format("the command was ended by signal {}", *end.signal);
  return end.exit_code == 0 ? "" : fmt::format("the command failed with exit code {}", end.exit_code);
}

}  // namespace stash
