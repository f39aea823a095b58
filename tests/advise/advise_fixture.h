#pragma once

#include <string>
#include <utility>
#include <vector>

#include "stash/advise/advise.h"

namespace stash::testing_support {

inline constexpr double kHour = 3600;

// One epoch of 3,600 samples; with one sample a step, a step of n seconds is a training of n hours.
inline AdviceQuestion hours_question() {
  AdviceQuestion question;
  question.epochs = 1;
  question.samples = 3600;
  return question;
}

// Known within +-10 %, at `usd_per_h` for all nodes together.
inline Prediction machine(const std::string& instance, int nodes, double hours, double usd_per_h,
                          const std::string& gpu = "V100") {
  Prediction prediction;
  prediction.cloud = "aws";
  prediction.instance = instance;
  prediction.gpu = gpu;
  prediction.nodes = nodes;
  prediction.batch = 1;
  prediction.ledger.step = {hours, hours / 1.1, hours * 1.1};
  prediction.ledger[Part::compute] = prediction.ledger.step;
  prediction.usd_per_h = usd_per_h;
  return prediction;
}

inline Prediction without_price(Prediction prediction) {
  prediction.usd_per_h.reset();
  return prediction;
}

// Four on the front, two that are not: "slow" is slower and dearer than "cheap", "waste" than "fast".
inline std::vector<Prediction> market() {
  return {machine("cheap", 1, 40, 2),    // $80
          machine("middle", 1, 20, 5),   // $100
          machine("fast", 1, 10, 20),    // $200
          machine("fast", 2, 6, 40),     // $240
          machine("slow", 1, 50, 3),     // $150
          machine("waste", 1, 12, 30)};  // $360
}

inline Advice advice_for(const AdviceQuestion& question, std::vector<Prediction> predictions) {
  return advise(question, {std::move(predictions), {}});
}

inline std::string name_of_first(const Advice& advice) {
  if (advice.ranked.empty()) return "";
  const Prediction& first = advice.ranked.front().prediction;
  return std::to_string(first.nodes) + " x " + first.instance;
}

}  // namespace stash::testing_support
