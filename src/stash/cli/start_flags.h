#pragma once

#include <functional>
#include <optional>
#include <string>

#include "stash/launch/extension.h"
#include "stash/launch/local_run.h"
#include "stash/launch/placement.h"

namespace CLI {
class App;
}

namespace stash {

inline constexpr int kExitInterrupted = 130;  // as shells expect after Ctrl-C

// What the ranks are started for, and who hears of them; LocalRunOptions says more.
struct StartOptions {
  std::string purpose = {};
  int nodes = 1;
  std::function<void(const Collector&)> on_tick = {};
  std::function<bool()> stop = {};
  LocalRanks* ranks = nullptr;  // that may be there already; null: they are started, and end with the run
};

// The flags of verbs that start ranks, alone or under a launcher.
class StartFlags {
 public:
  void add_to(CLI::App& app);
  void check() const;  // UsageError before anything is prepared
  // Where a launcher put this process, unless ranks are to be started here.
  std::optional<Placement> placement() const;
  // Finds or builds the library for the interpreter, which may take minutes.
  ExtensionInfo ready() const;
  // The same, and runs the team's ranks.
  LocalRun start(Profile profile, const Team& team, const StartOptions& options) const;

 private:
  std::string python_;
  std::string deadline_ = "30s";
  std::string node_name_;
  bool local_ = false;
};

}  // namespace stash
