#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "stash/launch/shared_state.h"

namespace stash {

// How to start one rank.
struct RankProcess {
  std::vector<std::string> arguments;                            // program first; never a shell
  std::vector<std::pair<std::string, std::string>> environment;  // added to or replacing the own
  std::vector<int> cores;                                        // pinned to these
};

struct SupervisorOptions {
  double deadline_s = 30;  // without a sign of life from a rank that ought to give one
  double patience = 1;     // so many deadlines for one that waits for others
  double grace_s = 5;      // from a request to stop to the end
  std::function<void(int rank, std::string_view line)> on_event;  // a line that a rank reported
  std::function<void()> on_tick;                                  // a few times a second
  std::function<bool()> stop = {};                                // asked as often; true ends the ranks as Ctrl-C does
};

// How a rank ended.
struct RankEnd {
  int rank = 0;
  int exit_code = 0;
  std::optional<int> signal;
  bool stopped_by_us = false;  // after another rank's fault, or at the end of the grace
  std::string last_output;     // the last lines of its stdout and stderr

  bool clean() const { return exit_code == 0 && !signal; }
};

struct Outcome {
  bool interrupted = false;      // Ctrl-C, SIGTERM or `stop`
  std::optional<int> hung_rank;  // gave no sign of life for the deadline
  Phase hung_in = Phase::starting;
  std::vector<RankEnd> ends;  // in the order in which they ended
};

// The variables by which a rank finds its event channel and the shared page.
inline constexpr const char* kEventFdVariable = "STASH_EVENT_FD";
inline constexpr const char* kSharedFdVariable = "STASH_SHARED_FD";
// Which of the ranks that its supervisor started a rank is, and of how many.
inline constexpr const char* kTeamIndexVariable = "STASH_TEAM_INDEX";
inline constexpr const char* kTeamCountVariable = "STASH_TEAM_COUNT";
// What ranks do: unset: train and measure; "links": time the links; "doctor": say what they are.
inline constexpr const char* kPurposeVariable = "STASH_PURPOSE";

// Starts every rank, passes on what they report, and returns when all have ended. No process survives it:
// one rank's death or silence ends the others, and ranks die with their supervisor.
Outcome supervise(const std::vector<RankProcess>& processes, SharedState& shared, const SupervisorOptions& options);

}  // namespace stash
