#pragma once

#include <string>
#include <vector>

#include "stash/core/job.h"

namespace CLI {
class App;
}

namespace stash {

// The flags that say how the user's script is measured, and its command.
struct ScriptFlags {
  std::string data;
  std::string conditions;
  std::string precision = "2%";
  std::string max_time = "20s";  // an answer within half a minute; --max-time buys precision
  std::uint64_t seed = 1;
  std::string inject;
  std::vector<std::string> command;

  void add_to(CLI::App& app);
  Job resolve() const;  // UsageError names the flag at fault
};

}  // namespace stash
