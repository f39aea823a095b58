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
  double common_ratio = 1;  // of the interval's variance, shared by all machines with this GPU
  double interruptions_per_s = 0;
  double slowdown = 1;  // by interruptions: time over time that is worked
  double time_s = 0;    // with f = 1
  std::optional<double> cost_usd;

  double time_with(double f) const { return fixed_s + steps_s * f; }
};

// Fills in the epoch's figures where the prediction has none, from its ledger and the question's samples.
void complete_epochs(Prediction& prediction, const AdviceQuestion& question);

// The candidate, or why there is none. `prediction` must outlive it.
std::variant<Candidate, std::string> make_candidate(const Prediction& prediction, const AdviceQuestion& question);

// Of one machine, per hour, at the question's kind of price.
std::optional<double> price_of(const Prediction& prediction, const AdviceQuestion& question);

std::string name_of(const Prediction& prediction);  // "2 x p3.16xlarge"

}  // namespace stash
