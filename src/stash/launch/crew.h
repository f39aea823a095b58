#pragma once

#include <filesystem>
#include <functional>
#include <memory>
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

// The team's ranks on this machine. They end with their run, or stay for the next one where that needs the same ranks:
// then it need not wait until interpreters have started and torch has been loaded.
class LocalRanks {
 public:
  enum class After { end, stay };
  explicit LocalRanks(After after = After::end);
  LocalRanks(const LocalRanks&) = delete;
  LocalRanks& operator=(const LocalRanks&) = delete;
  ~LocalRanks();

  // Collects the profile, which is whole where rank 0 is. `profile` brings the job and the machine.
  LocalRun run(Profile profile, const LocalRunOptions& options);

 private:
  struct Started;
  void order(const Job& job, const LocalRunOptions& options, std::int64_t started_ns);

  After after_;
  std::unique_ptr<Started> started_;
};

}  // namespace stash
