#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "stash/launch/rank_process.h"
#include "stash/launch/shared_state.h"

namespace stash {

struct SupervisorOptions {
  double deadline_s = 30;  // without a sign of life from a rank that ought to give one
  double patience = 1;     // deadlines that one gets that waits for others
  double grace_s = 5;      // from a request to stop to the end
  OnRankEvent on_event;
  std::function<void()> on_tick;    // a few times a second
  std::function<bool()> stop = {};  // asked as often; true ends the ranks as Ctrl-C does
};

struct Outcome {
  bool interrupted = false;      // Ctrl-C, SIGTERM or `stop`
  std::optional<int> hung_rank;  // gave no sign of life for the deadline
  Phase hung_in = Phase::starting;
  std::vector<RankEnd> ends;  // in the order in which they ended
};

// Ranks that were started together. None survives its supervisor: one rank's death or silence ends the others, and
// ranks die with the process that started them.
class Supervisor {
 public:
  Supervisor(const std::vector<RankCommand>& commands, SharedState& shared);  // Error when a rank cannot be started
  Supervisor(const Supervisor&) = delete;
  Supervisor& operator=(const Supervisor&) = delete;
  ~Supervisor();

  // Passes on what they report. Returns when all have ended, or are free.
  Outcome watch(const SupervisorOptions& options);
  // They have done what they were asked for and wait for more.
  bool is_free();

 private:
  SharedState& shared_;
  std::vector<RankProcess> ranks_;
};

}  // namespace stash
