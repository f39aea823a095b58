#pragma once

#include <optional>
#include <string>
#include <vector>

#include "stash/core/ledger.h"

namespace stash {

// A fix that `--try` measured, and what had been predicted for it.
struct TriedStep {
  std::string fix;  // the variant's name
  Condition condition = Condition::joined;
  std::string action;
  std::string how;
  std::optional<double> predicted_s;  // seconds saved of a step; absent: no formula covers it
  Estimate measured;                  // the same
  int rounds = 0;                     // that it rests on
  double of_s = 0;                    // the step without it, under that condition

  bool helps() const;  // worth making
  bool is_worse() const { return measured.high_s < 0; }
};

// A change that would be possible and was not measured.
struct NotTried {
  std::string action;
  std::string why;
};

struct Tries {
  bool asked = false;  // by --try
  std::vector<TriedStep> tried;
  std::vector<NotTried> not_tried;
};

}  // namespace stash
