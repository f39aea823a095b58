#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "stash/launch/cluster/launched_process.h"
#include "stash/launch/crew.h"

namespace CLI {
class App;
}

namespace stash {

// --python; `use` ends "Interpreter whose torch": "the ranks use".
void add_python(CLI::App& app, std::string& python, std::string_view use);

// The flags of verbs that start ranks, alone or under a launcher.
class StartFlags {
 public:
  void add_to(CLI::App& app);
  void check() const;  // UsageError before anything is prepared
  // Where a launcher put this process, unless ranks are to be started here.
  std::optional<LaunchedProcess> launched() const;
  double timeout_s() const;  // without a sign of life
  NodeIdentity node() const { return node_identity(node_name_); }
  // What the ranks run with; the caller adds the plan, and who hears of it. Finds or builds the library for the
  // interpreter, which may take minutes.
  CrewOptions resolve() const;

 private:
  std::string python_;
  std::string timeout_ = "30s";
  std::string node_name_;
  bool local_ = false;
};

}  // namespace stash
