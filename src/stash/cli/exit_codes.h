#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace stash {

inline constexpr int kExitFault = 1;          // stash::Error
inline constexpr int kExitUsage = 2;          // stash::UsageError
inline constexpr int kExitInterrupted = 130;  // as shells expect after Ctrl-C

struct ExitMeaning {
  int code;
  std::string meaning;
};

// What the exit codes of a verb mean; those of every verb where nothing is said about this one.
std::vector<ExitMeaning> exit_meanings(std::string_view verb);

// Verbs with meanings of their own: a test of the reference looks for each of them.
std::vector<std::string_view> verbs_with_exit_meanings();

}  // namespace stash
