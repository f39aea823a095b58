#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "stash/cli/progress.h"
#include "stash/cli/progress_text.h"
#include "stash/launch/collector.h"
#include "stash/models/graph.h"

namespace stash {

// What is shown while ranks measure.
class RunProgress {
 public:
  explicit RunProgress(std::string before = {}) : before_(std::move(before)) {}  // stands before each line
  void show(const Collector& collector);

 private:
  StatusLine line_;
  std::string before_;
  ProgressText text_;
};

// What is shown while a data set is made for a job that brings none.
class DataProgress {
 public:
  void operator()(InputKind kind, std::int64_t done, std::int64_t total);

 private:
  std::shared_ptr<CountProgress> progress_;  // from the first call on; shared by copies
};

}  // namespace stash
