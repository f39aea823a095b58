#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "stash/core/profile.h"
#include "stash/launch/collector.h"
#include "stash/launch/node_identity.h"
#include "stash/launch/team.h"

namespace stash {

struct LocalRunOptions {
  Team team;
  NodeIdentity node;
  std::filesystem::path python;            // the interpreter whose torch the ranks use
  std::filesystem::path extension_folder;  // holds _stash.so
  std::filesystem::path package_folder;    // holds the Python package `stash`
  double deadline_s = 30;
  std::string purpose;                            // of the ranks; empty: to train and measure
  std::function<void(const Collector&)> on_tick;  // a few times a second
  int nodes = 1;                                  // that the team's ranks take themselves to be on, evenly
  std::function<bool()> stop = {};                // asked as often; true ends the ranks as Ctrl-C does
};

struct LocalRun {
  Profile profile;                   // complete or not; it says which
  std::vector<RankFacts> facts;      // where the ranks were asked for them
  std::optional<std::string> fault;  // what went wrong, for a person
  bool usage_fault = false;
  bool lost_rank_0 = false;  // whose process would have had the profile
  bool interrupted = false;
};

// Runs the team's ranks on this machine and collects the profile, which is whole where rank 0 is. `profile` brings the
// job and the machine.
LocalRun run_locally(Profile profile, const LocalRunOptions& options);

}  // namespace stash
