#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "stash/core/profile.h"
#include "stash/launch/cluster/crew_plan.h"
#include "stash/launch/cluster/node_identity.h"
#include "stash/launch/collector.h"
#include "stash/launch/protocol/order.h"

namespace stash {

struct CrewOptions {
  CrewPlan plan;
  NodeIdentity node;
  std::filesystem::path python;            // the interpreter whose torch the ranks use
  std::filesystem::path extension_folder;  // holds _stash.so
  std::filesystem::path package_folder;    // holds the Python package `stash`
  std::string torch = {};                  // its version
  double deadline_s = 30;
  Purpose purpose = Purpose::profile;
  std::optional<std::int64_t> max_link_bytes = {};  // Purpose::links: the largest call
  std::optional<PoolSeat> pool = {};                // Purpose::train
  std::optional<double> samples = {};               // Purpose::train
  bool tries = false;                               // Purpose::profile
  std::function<void(const Collector&)> on_tick;    // a few times a second
  int nodes = 1;                                    // that the ranks act as, evenly
  std::function<bool()> stop = {};                  // asked as often; true ends the ranks as Ctrl-C does
};

struct CrewRun {
  Profile profile;                           // complete or not; it says which
  std::optional<TrainedSoFar> trained = {};  // Purpose::train
  std::vector<RankFacts> facts;              // where the ranks were asked for them
  std::optional<std::string> fault;          // what went wrong, for a person
  bool usage_fault = false;
  bool lost_rank_0 = false;     // whose process would have had the profile
  bool is_consequence = false;  // the fault is of ranks elsewhere, or is seen by them too
  bool interrupted = false;
};

// The ranks that this process starts. They end with their run, or stay for the next one where that needs the same
// ranks: then it need not wait until interpreters have started and torch has been loaded.
class Crew {
 public:
  enum class After { end, stay };
  explicit Crew(After after = After::end);
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;
  ~Crew();

  // Collects the profile, which is whole where rank 0 is. `profile` brings the job and the machine.
  CrewRun run(Profile profile, const CrewOptions& options);

  // Ranks are there that `run` would use again.
  bool has_ranks_for(const CrewOptions& options);
  void end_ranks();  // `run` starts new ones

 private:
  struct Started;
  void give_order(const Job& job, const CrewOptions& options);

  After after_;
  std::unique_ptr<Started> started_;
};

}  // namespace stash
