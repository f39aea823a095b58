#pragma once

#include <optional>
#include <string>
#include <vector>

#include "stash/core/job.h"

namespace stash {

// What a script has shown of itself when its first step has ended; absent is unknown.
struct ShownJob {
  int ranks = 1;
  int nodes = 1;
  JobDevice device;  // its type
  std::optional<std::string> backend;
  std::optional<std::string> dtype;
  std::optional<int> batch;
  int workers = 0;
  int prefetch = 0;
  bool reads_batches = false;  // in its loop, from a loader that can be fed
  bool reads_files = false;    // that are known
};

// The job that is measured: as it was asked for, with what the script has shown. Its conditions are those that mean
// something for it; Error when there are none.
Job script_job(Job asked, const ShownJob& shown);

// What of the job cannot be measured, and how the script can change that; what it has in place of a loader Python says.
std::vector<std::string> script_warnings(const ShownJob& shown);

}  // namespace stash
