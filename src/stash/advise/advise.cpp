#include "stash/advise/advise.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "stash/advise/candidate.h"
#include "stash/advise/certainty.h"
#include "stash/advise/closest.h"
#include "stash/advise/front.h"
#include "stash/advise/goal.h"
#include "stash/advise/would_change.h"
#include "stash/core/error.h"
#include "stash/core/units.h"

namespace stash {

namespace {

constexpr double kWorthANoteRatio = 0.005;  // of the draws; below it a share reads as 0 %

Rejected reject(const Prediction& prediction, std::string why) {
  return {prediction.cloud, prediction.instance, prediction.nodes, std::move(why)};
}

std::vector<Candidate> make_candidates(std::vector<Prediction>& predictions, const AdviceQuestion& question,
                                       std::vector<Rejected>& rejected) {
  std::vector<Candidate> candidates;
  candidates.reserve(predictions.size());
  for (Prediction& prediction : predictions) {
    complete_epochs(prediction, question);
    auto made = make_candidate(prediction, question);
    if (auto* why = std::get_if<std::string>(&made)) {
      rejected.push_back(reject(prediction, std::move(*why)));
    } else {
      candidates.push_back(std::get<Candidate>(made));
    }
  }
  return candidates;
}

// What has no price cannot stand beside what has one. Returns a note on the fastest of them.
std::vector<std::string> leave_out_unpriced(std::vector<Candidate>& candidates, const AdviceQuestion& question,
                                            std::vector<Rejected>& rejected) {
  const auto unpriced = std::ranges::stable_partition(
      candidates, [](const Candidate& candidate) { return candidate.cost_usd.has_value(); });
  if (unpriced.empty()) return {};
  const std::string why = question.spot ? "its spot price is not known: import prices, or leave out --spot"
                                        : "its price is not known: import prices with stash catalog import";
  for (const Candidate& candidate : unpriced) rejected.push_back(reject(*candidate.prediction, why));
  const Candidate& fastest = *std::ranges::min_element(unpriced, {}, &Candidate::time_s);
  std::vector<std::string> notes{fmt::format("the fastest of those without a {}price, {}, would take {}",
                                             question.spot ? "spot " : "", name_of(*fastest.prediction),
                                             format_duration(fastest.time_s))};
  candidates.erase(unpriced.begin(), unpriced.end());
  return notes;
}

// Best first; what is equal in all that counts stands in the order of its names.
void rank(std::vector<Candidate>& candidates, const Goal& goal) {
  const auto key = [&](const Candidate& candidate) {
    const double cost_usd = candidate.cost_usd.value_or(0);
    const Prediction& prediction = *candidate.prediction;
    return std::tuple(goal.score(candidate.time_s, cost_usd), candidate.time_s, cost_usd, prediction.nodes,
                      std::string_view(prediction.instance), std::string_view(prediction.cloud),
                      std::string_view(prediction.gpu));
  };
  std::ranges::stable_sort(candidates, {}, key);
}

std::string what_is_best(const Goal& goal) {
  if (!goal.priced) return "no price is known: ranked by time alone";
  if (goal.deadline_s && goal.budget_usd) return "best: the cheapest that meets the deadline and the budget";
  if (goal.deadline_s) return "best: the cheapest that meets the deadline";
  if (goal.budget_usd) return "best: the fastest that fits the budget";
  return "best: the smallest product of time and cost, as neither --deadline nor --budget is given";
}

std::optional<double> times_price(const Candidate& candidate, double f) {
  return candidate.usd_per_s ? std::optional(candidate.time_with(f) * *candidate.usd_per_s) : std::nullopt;
}

Option make_option(const Candidate& candidate, const Goal& goal) {
  Option option;
  option.time_s = candidate.time_s;
  option.time_low_s = candidate.time_with(candidate.low_ratio);
  option.time_high_s = candidate.time_with(candidate.high_ratio);
  option.cost_usd = candidate.cost_usd;
  option.cost_low_usd = times_price(candidate, candidate.low_ratio);
  option.cost_high_usd = times_price(candidate, candidate.high_ratio);
  option.interruptions = candidate.interruptions_per_s * candidate.time_s;
  option.meets = goal.meets(candidate.time_s, candidate.cost_usd.value_or(0));
  return option;
}

std::vector<Option> make_options(const std::vector<Candidate>& ranked, const Goal& goal, const Certainty& certainty) {
  const std::vector<bool> front = pareto_front(ranked);
  const bool asked = goal.deadline_s || goal.budget_usd;
  std::vector<Option> options;
  options.reserve(ranked.size());
  for (std::size_t i = 0; i < ranked.size(); ++i) {
    Option option = make_option(ranked[i], goal);
    option.on_front = front[i];
    option.first_ratio = certainty.first_ratio[i];
    if (asked) option.meets_ratio = certainty.meets_ratio[i];
    options.push_back(std::move(option));
  }
  return options;
}

// The predictions are taken over from `predictions`, into which the candidates point.
void move_predictions(std::vector<Option>& options, const std::vector<Candidate>& ranked,
                      std::vector<Prediction>& predictions) {
  for (std::size_t i = 0; i < options.size(); ++i) {
    const auto place = static_cast<std::size_t>(ranked[i].prediction - predictions.data());
    options[i].prediction = std::move(predictions[place]);
  }
}

}  // namespace

Advice advise(const AdviceQuestion& question, Predictions predictions) {
  check_question(question);
  if (predictions.predictions.empty() && predictions.rejected.empty()) {
    throw Error("there is no machine to choose from: stash catalog list shows those that are known");
  }
  Advice advice;
  advice.rejected = std::move(predictions.rejected);
  std::vector<Candidate> ranked = make_candidates(predictions.predictions, question, advice.rejected);
  Goal goal{question.deadline_s, question.budget_usd, true};
  goal.priced = question.budget_usd ||
                std::ranges::any_of(ranked, [](const Candidate& candidate) { return candidate.cost_usd.has_value(); });
  advice.notes.push_back(what_is_best(goal));
  if (goal.priced) {
    for (std::string& note : leave_out_unpriced(ranked, question, advice.rejected)) {
      advice.notes.push_back(std::move(note));
    }
  }
  rank(ranked, goal);
  const Certainty certainty = draw_certainty(ranked, goal, question.seed);
  advice.ranked = make_options(ranked, goal, certainty);
  if (!advice.ranked.empty() && advice.ranked.front().meets) advice.best = 0;
  if (advice.best && certainty.none_meets_ratio >= kWorthANoteRatio) {
    advice.notes.push_back(
        fmt::format("nothing meets it in {:.0f} % of what the inputs allow; the closest counts as "
                    "first there",
                    certainty.none_meets_ratio * 100));
  }
  advice.would_change =
      advice.best ? what_would_change(ranked, goal, question) : what_it_would_take(ranked, goal, question);
  move_predictions(advice.ranked, ranked, predictions.predictions);
  return advice;
}

}  // namespace stash
