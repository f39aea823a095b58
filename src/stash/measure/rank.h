#pragma once

#include <string>

#include "stash/measure/control.h"
#include "stash/measure/members.h"
#include "stash/measure/torch_headers.h"

namespace stash {

// What torch made for a rank, and where it stands.
struct RankSetup {
  std::string job_json;
  std::string machine_json;                        // what the interpreter knows: versions, accelerators
  c10::intrusive_ptr<c10d::ProcessGroup> group;    // the job's
  c10::intrusive_ptr<c10d::ProcessGroup> control;  // the measurement's own
  c10::intrusive_ptr<c10d::ProcessGroup> node;     // of the ranks of this node; null where there is one node
  Members* members = nullptr;
  SharedState* shared = nullptr;
  int team_index = 0;           // among the ranks that its supervisor started
  bool speaks = true;           // for them
  bool all_are_ours = true;     // the supervisor started every rank
  int local_rank = 0;           // picks among the devices
  std::int64_t started_ns = 0;  // when the launch began; its time counts from there
};

Control control_of(const RankSetup& setup);

// Measures the job on this rank, in step with the others, and tells the supervisor what it finds.
// Returns the exit code; what goes wrong has been reported.
int run_rank(const RankSetup& setup);

}  // namespace stash
