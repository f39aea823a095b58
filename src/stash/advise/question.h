#pragma once

#include <cstdint>
#include <optional>

namespace stash {

// The probability with which advice meets a deadline or a budget, unless asked otherwise.
inline constexpr double kDefaultSureRatio = 0.9;

// What is to be trained, and what matters: a deadline, a budget, both or neither.
struct AdviceQuestion {
  double epochs = 0;
  double samples = 0;  // of an epoch
  std::optional<double> deadline_s;
  std::optional<double> budget_usd;
  double sure_ratio = kDefaultSureRatio;  // the probability with which they are to be met
  bool spot = false;                      // rented at the spot price, and interrupted
  double interruptions_per_h = 0;         // of one machine; one that is lost stops all of them
  double restart_s = 0;                   // that an interruption costs: the work lost, and the start
  double startup_s = 0;                   // before the first step
  double storage_usd_per_h = 0;           // for all machines together
  std::uint64_t seed = 1;                 // of the draws behind Option::first_ratio
};

// UsageError names the flag whose value is not finite or out of range.
void check_question(const AdviceQuestion& question);

}  // namespace stash
