#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "stash/battery/run_case.h"
#include "stash/launch/cluster/launched_process.h"
#include "stash/launch/cluster/peer_follower.h"
#include "stash/launch/cluster/peer_leader.h"
#include "stash/launch/crew.h"

namespace stash {

// Cases that all processes of a launch measure together, each with its own ranks: the side of rank 0's process.
class JointCases {
 public:
  JointCases(PeerLeader& others, const LaunchedProcess& launched, double deadline_s)
      : others_(others), launched_(launched), deadline_s_(deadline_s) {}

  // All processes find what their ranks run with: this one by `resolve`, whose result is returned. Error says which one
  // cannot, or has another torch.
  CrewOptions get_ready(const std::function<CrewOptions()>& resolve);
  // As run_case(); the options' plan is set here. PeerLost: no case can be measured any more.
  CrewRun run(const Job& job, CrewOptions options, Crew& ranks, const OnDefaultData& on_data);

 private:
  std::optional<std::vector<PeerReport>> order_all(const PeerOrder& order, double limit_s,
                                                   const std::function<bool()>& stop, const std::function<void()>& own);
  void take_reports(CrewRun& run, bool lost_one);

  PeerLeader& others_;
  const LaunchedProcess& launched_;
  double deadline_s_;
  int cases_ = 0;
  bool owed_ = false;  // reports to an order that was not waited for
};

// The side of the other processes: does what rank 0's says, until it says what exit code to leave with. `resolve` finds
// what ranks run with; until then Ctrl-C ends the process. nullopt: a person stopped it later.
std::optional<int> follow_cases(PeerFollower& leader, const LaunchedProcess& launched,
                                const std::function<CrewOptions()>& resolve);

}  // namespace stash
