#pragma once

#include <string>

#include "stash/measure/torch_headers.h"

namespace stash {

// What torch made for a rank, and where it stands.
struct RankSetup {
  std::string job_json;
  std::string machine_json;                        // what the interpreter knows: versions, accelerators
  c10::intrusive_ptr<c10d::ProcessGroup> group;    // the job's
  c10::intrusive_ptr<c10d::ProcessGroup> control;  // the measurement's own
  int local_rank = 0;
  std::int64_t started_ns = 0;  // when the launch began; its time counts from there
};

// Measures the job on this rank, in step with the others, and tells the supervisor what it finds.
// Returns the exit code; what goes wrong has been reported.
int run_rank(const RankSetup& setup);

}  // namespace stash
