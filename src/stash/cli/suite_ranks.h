#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "stash/battery/joint_cases.h"
#include "stash/cli/flags/characterize_flags.h"
#include "stash/cli/flags/start_flags.h"
#include "stash/launch/cluster/peer_leader.h"

namespace stash {

using GivenFlags = std::map<std::string, std::string>;

// The processes of a launch that measure together; nullopt: this one alone, with ranks of this machine.
std::optional<LaunchedProcess> joint_launch(const StartFlags& start);

// Ranks that measure the cases of a suite and stay from case to case: those of this machine, or with them those of all
// processes of a launch, whose leader this one is.
class SuiteRanks {
 public:
  // `start` lives longer than this object. From now on the other processes hear what becomes of this one.
  SuiteRanks(const StartFlags& start, const GivenFlags& flags);

  void gather();  // waits for the other processes
  const std::optional<LaunchedBattery>& launched() const { return launched_; }
  // Finds or builds what ranks run with, here and elsewhere. Error names the host where it cannot be.
  void resolve();
  // `options` of CrewOptions that are the case's own are set by `set`.
  CrewRun run(const Case& one, const std::function<void(CrewOptions&)>& set);
  void dismiss(int exit_code);  // the other processes leave with it

 private:
  const StartFlags& start_;
  std::optional<LaunchedBattery> launched_;
  std::unique_ptr<PeerLeader> others_;
  std::optional<JointCases> joint_;
  CrewOptions options_;
  Crew ranks_{Crew::After::stay};
};

// The other processes of the launch: until the leader says with which exit code to leave.
int follow_suite(const LaunchedProcess& launched, const StartFlags& start, const GivenFlags& flags);

}  // namespace stash
