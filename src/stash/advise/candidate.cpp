#include "stash/advise/candidate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "stash/attribute/steady_fetch.h"
#include "stash/core/statistics.h"
#include "stash/core/units.h"

namespace stash {

namespace {

// An interval wider than this says no more than that nothing is known; it keeps draws finite.
constexpr double kWidestRatio = 100;

bool is_time(double s) { return std::isfinite(s) && s > 0; }

double steps_of_epoch(const Prediction& prediction, const AdviceQuestion& question) {
  const double samples_a_step = static_cast<double>(prediction.gpus) * prediction.batch * prediction.accumulation;
  return std::ceil(question.samples / samples_a_step);
}

std::optional<double> price_of_all(const Prediction& prediction, const AdviceQuestion& question) {
  return question.spot ? prediction.spot_usd_per_h : prediction.usd_per_h;
}

std::string why_no_time(const Prediction& prediction) {
  const Estimate& step = prediction.ledger.step;
  if (prediction.nodes < 1 || prediction.gpus < 1) return "its number of nodes or GPUs is below 1";
  if (!is_time(step.s)) return fmt::format("its predicted step time of {} s is invalid", step.s);
  if (!std::isfinite(step.low_s) || !std::isfinite(step.high_s)) return "the interval of its step is not finite";
  if (!prediction.epoch_s || !prediction.first_epoch_s) return "the samples of its step are not known";
  if (!is_time(*prediction.epoch_s) || !is_time(*prediction.first_epoch_s))
    return "its predicted epoch time is invalid";
  return "";
}

std::string why_no_price(const Prediction& prediction, const AdviceQuestion& question) {
  const auto price = price_of_all(prediction, question);
  if (!price || (std::isfinite(*price) && *price > 0)) return "";
  return fmt::format("its price of ${} per hour is invalid", *price);
}

double training_s(const Prediction& prediction, const AdviceQuestion& question) {
  return std::min(question.epochs, 1.0) * *prediction.first_epoch_s +
         std::max(question.epochs - 1, 0.0) * *prediction.epoch_s;
}

}  // namespace

void complete_epochs(Prediction& prediction, const AdviceQuestion& question) {
  if (prediction.batch < 1 || prediction.accumulation < 1 || prediction.gpus < 1) return;
  const double steps = steps_of_epoch(prediction, question);
  if (!prediction.epoch_s) prediction.epoch_s = steps * steady_step_s(prediction.ledger);
  if (!prediction.first_epoch_s) prediction.first_epoch_s = steps * prediction.ledger.step.s;
  if (!prediction.epoch_usd && prediction.usd_per_h) {
    prediction.epoch_usd = *prediction.epoch_s / kSecondsPerHour * *prediction.usd_per_h;
  }
}

std::variant<Candidate, std::string> make_candidate(const Prediction& prediction, const AdviceQuestion& question) {
  if (std::string why = why_no_time(prediction); !why.empty()) return why;
  if (std::string why = why_no_price(prediction, question); !why.empty()) return why;
  Candidate candidate;
  candidate.prediction = &prediction;
  if (question.spot) candidate.interruptions_per_s = question.interruptions_per_h / kSecondsPerHour * prediction.nodes;
  // Interruptions come during the time that they cost as well: T = work + T x interruptions_per_s x restart_s.
  const double working_ratio = 1 - candidate.interruptions_per_s * question.restart_s;
  if (!(working_ratio > 0)) return "it is interrupted more often than it could restart, and never finishes";
  candidate.slowdown = 1 / working_ratio;
  candidate.fixed_s = question.startup_s * candidate.slowdown;
  candidate.steps_s = training_s(prediction, question) * candidate.slowdown;
  const Estimate& step = prediction.ledger.step;
  candidate.low_ratio = std::clamp(step.low_s / step.s, 1 / kWidestRatio, 1.0);
  candidate.high_ratio = std::clamp(step.high_s / step.s, 1.0, kWidestRatio);
  candidate.time_s = candidate.time_with(1);
  if (const auto price = price_of_all(prediction, question)) {
    candidate.usd_per_s = (*price + question.storage_usd_per_h) / kSecondsPerHour;
    candidate.cost_usd = candidate.time_s * *candidate.usd_per_s;
  }
  // Squares of both are compared.
  constexpr double kMost = 1e100;
  const bool countable = candidate.time_s < kMost && candidate.cost_usd.value_or(0) < kMost;
  if (!countable) return "it takes longer or costs more than can be counted";
  return candidate;
}

double Candidate::ratio_at(double z) const {
  return std::pow(z < 0 ? 1 / low_ratio : high_ratio, z / kNormalQuantile975);
}

double Candidate::chance_within(double ratio) const {
  if (!(ratio > 0)) return 0;
  const double end = ratio < 1 ? 1 / low_ratio : high_ratio;
  if (!(end > 1)) return ratio < 1 ? 0 : 1;
  return normal_below(std::log(ratio) / std::log(end) * kNormalQuantile975);
}

std::optional<double> price_of(const Prediction& prediction, const AdviceQuestion& question) {
  const auto price = price_of_all(prediction, question);
  return price ? std::optional(*price / prediction.nodes) : std::nullopt;
}

std::string name_of(const Prediction& prediction) {
  return fmt::format("{} x {}", prediction.nodes, prediction.instance);
}

}  // namespace stash
