#pragma once

#include <string>

#include "stash/launch/protocol/event.h"
#include "stash/launch/protocol/order.h"
#include "stash/measure/group_control.h"
#include "stash/measure/team.h"
#include "stash/measure/torch_headers.h"

namespace stash {

// What a rank was told, what torch made for it, and what its interpreter knows.
struct RankSetup {
  const Order& order;
  int crew_index = 0;
  c10::intrusive_ptr<c10d::ProcessGroup> group;    // the job's
  c10::intrusive_ptr<c10d::ProcessGroup> control;  // the measurement's own
  c10::intrusive_ptr<c10d::ProcessGroup> node;     // of the ranks of this node; null where there is one node
  Team& team;
  SharedState& shared;
  MachineEvent machine;
  std::string device_id;  // what tells its accelerator from others of the host; empty: the CPU

  bool speaks() const { return crew_index == 0; }  // for the crew
  int local_rank() const { return order.first_local_rank + crew_index; }
  RankState& state() const { return shared.rank(crew_index); }
};

GroupControl control_of(const RankSetup& setup);

// Carries the order out on this rank, in step with the others, and tells the supervisor what it finds.
// Returns the exit code; what goes wrong has been reported.
int run_rank(const RankSetup& setup);

}  // namespace stash
