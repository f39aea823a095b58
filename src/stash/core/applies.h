#pragma once

#include "stash/core/condition.h"

namespace stash {

// What decides which conditions mean something for a job.
struct JobShape {
  bool shares_nodes = false;  // some node has two ranks
  bool several_nodes = false;
  bool copies_batches = false;  // to an accelerator with memory of its own
  bool reads_input = true;      // through a pipeline that can be switched off
  bool reads_files = true;      // whose pages can be evicted
};

// The one place that says so: measuring, attributing, predicting and scripts ask here.
bool applies(Condition condition, const JobShape& shape);

}  // namespace stash
