#pragma once

#include <cstdint>
#include <string>

#include "stash/cli/progress.h"
#include "stash/launch/collector.h"

namespace stash {

// What is shown while ranks measure; the ledger is worked out anew only when a round is complete.
class RunProgress {
 public:
  explicit RunProgress(std::string before = {});  // stands before each line
  void show(const Collector& collector);

 private:
  StatusLine line_;
  std::string before_;
  std::int64_t started_ns_;
  int rounds_ = 0;
  std::string widest_;
};

}  // namespace stash
