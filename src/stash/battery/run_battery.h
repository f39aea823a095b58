#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "stash/battery/battery.h"
#include "stash/battery/battery_folder.h"
#include "stash/battery/battery_log.h"
#include "stash/battery/budget.h"
#include "stash/core/profile.h"

namespace stash {

// What became of a case that was begun.
struct CaseOutcome {
  Profile profile;                   // meaningful where there is no fault
  std::optional<std::string> fault;  // why it failed
  bool interrupted = false;          // by a person
  bool out_of_time = false;          // it outlasted `limit_s`
};

// Measures a case, for at most `limit_s` where there is one.
using CaseRunner = std::function<CaseOutcome(const Case&, std::optional<double> limit_s)>;

struct BatteryProgress {
  int done = 0;  // of `cases`, those that need no more work
  int cases = 0;
  std::string name;   // of the case that begins
  double left_s = 0;  // until the battery's end, expected
};

struct BatterySteps {
  CaseRunner run;
  std::function<bool()> interrupted;                        // a person asked for the end
  std::function<void(const BatteryProgress&)> on_progress;  // before a case begins
};

// How a call ended.
struct BatteryRun {
  int finished = 0;  // by this call
  int failed = 0;    // by this call
  bool interrupted = false;
  std::vector<std::string> left;  // names of cases that neither finished nor failed
  std::string cap;                // what ended it: --max-time, --max-cost; empty: neither
};

// Runs what is not finished, in order. A case that failed is left alone unless `retry`. A case that is not expected to
// fit into what the budget has left is left for next time; one that outlasts it is ended and left too.
BatteryRun run_battery(const std::vector<Case>& cases, const BatteryFolder& folder, BatteryLog& log,
                       const Budget& budget, const BatterySteps& steps, bool retry);

}  // namespace stash
