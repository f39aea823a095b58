#pragma once

#include <optional>
#include <string>

#include "stash/core/ledger.h"

namespace stash {

// What a change asks for: another setting; another training (more samples between updates); more of something in the
// machine, such as memory; another machine.
enum class Effort { setting, training, hardware, machine };

// One thing to do about a stall of this job, and what it is predicted to save; docs/prediction.md.
struct FirstStep {
  Part part = Part::compute;  // of the ledger, which gets smaller
  std::string action;         // "give each rank 6 input workers instead of 2"
  std::string how;            // "--workers 6", "DataLoader(num_workers=6)"
  std::string because;        // the figures behind it, one sentence without a full stop
  Effort effort = Effort::setting;
  Estimate saved = {};       // seconds of a step of as many samples as now; never more than the part
  double of_s = 0;           // that step, as it is now
  bool first_epoch = false;  // saved in the first epoch only; else in all, or in all others

  // Of `--try`: the variant that is this change, and what it saved when it was measured.
  std::string fix = {};
  std::optional<Estimate> measured = {};
  bool is_predicted = true;  // false: no formula covers it, and `saved` is what was measured

  const Estimate& best() const { return measured ? *measured : saved; }
  double saved_ratio() const { return best().s / of_s; }
};

}  // namespace stash
