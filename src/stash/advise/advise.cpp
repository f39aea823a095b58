#include "stash/advise/advise.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "stash/advise/candidate.h"
#include "stash/advise/closest.h"
#include "stash/advise/front.h"
#include "stash/advise/goal.h"
#include "stash/advise/ranking.h"
#include "stash/advise/unpriced.h"
#include "stash/advise/would_change.h"
#include "stash/core/error.h"

namespace stash {

namespace {

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

std::string what_is_best(const Goal& goal) {
  if (!goal.priced) return "no price is known: ranked by time alone; of near-ties the one with the fewest machines";
  if (!goal.is_asked()) {
    return "best: the smallest product of time and cost, as neither --deadline nor --budget is given; of near-ties the "
           "one with the fewest machines";
  }
  return fmt::format("best: the {} with {:g} % probability; of near-ties the one with the fewest machines",
                     goal.deadline_s && goal.budget_usd ? "cheapest that meets the deadline and the budget"
                     : goal.deadline_s                  ? "cheapest that meets the deadline"
                                                        : "fastest that fits the budget",
                     goal.sure_ratio * 100);
}

// What the group of the first has in common, where it has others.
std::string near_ties_note(const Ranking& ranking, const Goal& goal) {
  const auto is_tied = [](const RankedCandidate& candidate) { return candidate.group == 1; };
  const auto others = std::ranges::count_if(ranking.candidates, is_tied) - 1;
  if (others < 1) return "";
  const std::string_view what = !goal.priced || (goal.budget_usd && !goal.deadline_s) ? "time"
                                : goal.is_asked()                                     ? "cost"
                                                                                      : "product";
  return fmt::format("near-ties: {} other option{} not distinguishable from the first by {}", others,
                     others == 1 ? " is" : "s are", what);
}

std::optional<double> cost_at(const Candidate& candidate, double f) {
  return candidate.usd_per_s ? std::optional(candidate.cost_with(f)) : std::nullopt;
}

Option make_option(const RankedCandidate& candidate, const Goal& goal) {
  Option option;
  option.time_s = candidate.time_s;
  option.time_low_s = candidate.time_with(candidate.low_ratio);
  option.time_high_s = candidate.time_with(candidate.high_ratio);
  option.cost_usd = candidate.cost_usd;
  option.cost_low_usd = cost_at(candidate, candidate.low_ratio);
  option.cost_high_usd = cost_at(candidate, candidate.high_ratio);
  option.interruptions = candidate.interruptions_per_s * candidate.time_s;
  option.meets = candidate.group.has_value();
  if (goal.is_asked()) option.meets_ratio = candidate.meets_ratio;
  option.group = candidate.group;
  option.first_ratio = candidate.first_ratio;
  return option;
}

std::vector<Option> make_options(const std::vector<RankedCandidate>& ranked, const Goal& goal) {
  const std::vector<bool> front = pareto_front(ranked);
  std::vector<Option> options;
  options.reserve(ranked.size());
  for (std::size_t i = 0; i < ranked.size(); ++i) {
    options.push_back(make_option(ranked[i], goal));
    options.back().on_front = front[i];
  }
  return options;
}

// The predictions are taken over from `predictions`, into which the candidates point.
void move_predictions(std::vector<Option>& options, const std::vector<RankedCandidate>& ranked,
                      std::vector<Prediction>& predictions) {
  for (std::size_t i = 0; i < options.size(); ++i) {
    const auto place = static_cast<std::size_t>(ranked[i].prediction - predictions.data());
    options[i].prediction = std::move(predictions[place]);
  }
}

void fill_in(Advice& advice, const Ranking& ranking, const Goal& goal, const AdviceQuestion& question) {
  advice.ranked = make_options(ranking.candidates, goal);
  advice.surer = ranking.surer;
  if (ranking.sure > 0) {
    advice.best = 0;
    advice.would_change = what_would_change(ranking, goal, question);
    return;
  }
  advice.deadline_needed = least_deadline(ranking.candidates, goal);
  advice.budget_needed = least_budget(ranking.candidates, goal);
  advice.would_change = what_it_would_take(ranking.candidates, goal, question);
}

}  // namespace

Advice advise(const AdviceQuestion& question, Predictions predictions) {
  check_question(question);
  if (predictions.predictions.empty() && predictions.rejected.empty()) {
    throw Error("there is no machine to choose from: stash catalog list shows those that are known");
  }
  Advice advice;
  advice.rejected = std::move(predictions.rejected);
  std::vector<Candidate> candidates = make_candidates(predictions.predictions, question, advice.rejected);
  const bool priced = question.budget_usd || std::ranges::any_of(candidates, [](const Candidate& candidate) {
                        return candidate.cost_usd.has_value();
                      });
  const Goal goal(question, priced);
  const std::string unpriced = goal.priced ? leave_out_unpriced(candidates, question, advice.rejected) : "";
  const Ranking ranking = rank(std::move(candidates), goal, question.seed);
  for (std::string note : {what_is_best(goal), near_ties_note(ranking, goal), unpriced}) {
    if (!note.empty()) advice.notes.push_back(std::move(note));
  }
  fill_in(advice, ranking, goal, question);
  move_predictions(advice.ranked, ranking.candidates, predictions.predictions);
  return advice;
}

}  // namespace stash
