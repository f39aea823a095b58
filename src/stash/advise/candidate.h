#pragma once

#include <optional>
#include <string>
#include <variant>

#include "stash/advise/question.h"
#include "stash/predict/prediction.h"

namespace stash {

// What ranking needs of a prediction, as a line: the time to finish is fixed_s + steps_s x f, where f is how the step
// turns out against the predicted one.
struct Candidate {
  const Prediction* prediction = nullptr;
  double fixed_s = 0;               // start-up
  double steps_s = 0;               // all steps, as predicted; both with the time that interruptions cost
  std::optional<double> usd_per_s;  // machines and storage
  double low_ratio = 1;             // f at the ends of the step's 95 % interval
  double high_ratio = 1;
  double interruptions_per_s = 0;
  double slowdown = 1;  // by interruptions: time over time that is worked
  double time_s = 0;    // with f = 1
  std::optional<double> cost_usd;

  double time_with(double f) const { return fixed_s + steps_s * f; }
  double cost_with(double f) const { return time_with(f) * usd_per_s.value_or(0); }

  // How the step turns out if its error is z standard deviations: log-normal on either side of the predicted step, with
  // 95 % of the errors inside the interval.
  double ratio_at(double z) const;
  // The probability that f is at most `ratio`.
  double chance_within(double ratio) const;
};

// Fills in the epoch's figures where the prediction has none, from its ledger and the question's samples.
void complete_epochs(Prediction& prediction, const AdviceQuestion& question);

// The candidate, or why there is none. `prediction` must outlive it.
std::variant<Candidate, std::string> make_candidate(const Prediction& prediction, const AdviceQuestion& question);

// Of one machine, per hour, at the question's kind of price.
std::optional<double> price_of(const Prediction& prediction, const AdviceQuestion& question);

std::string name_of(const Prediction& prediction);  // "2 x p3.16xlarge"

}  // namespace stash
