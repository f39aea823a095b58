#include "stash/advise/closest.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "stash/core/price.h"
#include "stash/core/units.h"

namespace stash {

namespace {

// Rounded up: the factor itself would not quite do.
std::string times(double ratio) { return fmt::format("{:.2f} times", std::ceil(ratio * 100) / 100); }

// What "sure" means, where a figure needs saying so.
std::string with_probability(const Goal& goal) { return fmt::format("with {:g} % probability", goal.sure_ratio * 100); }

std::optional<Needed> least(std::span<const RankedCandidate> ranked, auto&& may, auto&& amount_of) {
  std::optional<Needed> needed;
  for (std::size_t i = 0; i < ranked.size(); ++i) {
    if (!may(ranked[i])) continue;
    const double amount = amount_of(ranked[i]);
    if (!needed || amount < needed->amount) needed = Needed{amount, i};
  }
  return needed;
}

class Shortfall {
 public:
  Shortfall(std::span<const RankedCandidate> ranked, const Goal& goal, const AdviceQuestion& question)
      : ranked_(ranked), closest_(ranked.front()), goal_(goal), question_(question) {}

  std::vector<std::string> sentences() {
    if (goal_.deadline_s && sure_s() > *goal_.deadline_s) too_slow();
    if (goal_.budget_usd && goal_.sure_usd(closest_) > *goal_.budget_usd) too_dear();
    if (goal_.deadline_s && goal_.budget_usd) one_of_two();
    fewer_epochs();
    more_nodes();
    return std::move(sentences_);
  }

 private:
  std::string name() const { return name_of(*closest_.prediction); }
  double sure_s() const { return goal_.sure_s(closest_); }

  void too_slow() {
    sentences_.push_back(fmt::format("{} takes up to {} {}: it would have to be {} as fast for {}", name(),
                                     duration_at_least(sure_s()), with_probability(goal_),
                                     times(sure_s() / *goal_.deadline_s), format_duration(*goal_.deadline_s)));
  }

  void too_dear() {
    const double price = *price_of(*closest_.prediction, question_), cost_usd = goal_.sure_usd(closest_);
    const double affordable =
        (*goal_.budget_usd / sure_s() * kSecondsPerHour - question_.storage_usd_per_h) / closest_.prediction->nodes;
    sentences_.push_back(
        fmt::format("{} costs up to {} {}, {} the budget of {}{}", name(), usd_at_least(cost_usd),
                    with_probability(goal_), times(cost_usd / *goal_.budget_usd), format_usd(*goal_.budget_usd),
                    affordable > 0 ? fmt::format(": {} would have to cost {}/h (now {})", closest_.prediction->instance,
                                                 price_at_most(affordable), format_price(price))
                                   : ": its storage alone costs more"));
  }

  // Deadline and budget may each be met, though not together.
  void one_of_two() {
    const Candidate* cheapest = nullptr;
    const Candidate* fastest = nullptr;
    for (const RankedCandidate& candidate : ranked_) {
      const bool in_time = goal_.sure_s(candidate) <= *goal_.deadline_s;
      const bool in_budget = goal_.sure_usd(candidate) <= *goal_.budget_usd;
      if (in_time && (cheapest == nullptr || *candidate.cost_usd < *cheapest->cost_usd)) cheapest = &candidate;
      if (in_budget && (fastest == nullptr || candidate.time_s < fastest->time_s)) fastest = &candidate;
    }
    if (cheapest != nullptr) {
      sentences_.push_back(fmt::format("within the deadline the cheapest is {} for {}", name_of(*cheapest->prediction),
                                       format_usd(*cheapest->cost_usd)));
    }
    if (fastest != nullptr) {
      sentences_.push_back(fmt::format("within the budget the fastest is {} in {}", name_of(*fastest->prediction),
                                       format_duration(fastest->time_s)));
    }
  }

  // Whole epochs of the closest that deadline and budget leave time for.
  void fewer_epochs() {
    double left_s = goal_.deadline_s.value_or(sure_s());
    if (goal_.budget_usd) left_s = std::min(left_s, *goal_.budget_usd / *closest_.usd_per_s);
    const Prediction& prediction = *closest_.prediction;
    const double longer = closest_.slowdown * (sure_s() - closest_.fixed_s) / closest_.steps_s;
    const double after_first_s = left_s - closest_.fixed_s - *prediction.first_epoch_s * longer;
    if (after_first_s < 0) return;
    const double epochs = 1 + std::floor(after_first_s / (*prediction.epoch_s * longer));
    sentences_.push_back(fmt::format("{} finishes {:.0f} of the {:g} epochs within that {}", name(), epochs,
                                     question_.epochs, with_probability(goal_)));
  }

  void more_nodes() {
    const auto nodes = [](const RankedCandidate& candidate) { return candidate.prediction->nodes; };
    const int most = nodes(*std::ranges::max_element(ranked_, {}, nodes));
    const bool too_slow = goal_.deadline_s && sure_s() > *goal_.deadline_s;
    if (!too_slow || closest_.prediction->nodes < most) return;
    sentences_.push_back(fmt::format(
        "no more nodes than {} were tried: more of them, a larger batch or a machine that was rejected may do", most));
  }

  std::span<const RankedCandidate> ranked_;
  const RankedCandidate& closest_;
  const Goal& goal_;
  const AdviceQuestion& question_;
  std::vector<std::string> sentences_;
};

}  // namespace

std::optional<Needed> least_deadline(std::span<const RankedCandidate> ranked, const Goal& goal) {
  if (!goal.deadline_s) return std::nullopt;
  return least(
      ranked, [&](const Candidate& one) { return !goal.budget_usd || goal.sure_usd(one) <= *goal.budget_usd; },
      [&](const Candidate& one) { return goal.sure_s(one); });
}

std::optional<Needed> least_budget(std::span<const RankedCandidate> ranked, const Goal& goal) {
  if (!goal.budget_usd) return std::nullopt;
  return least(
      ranked, [&](const Candidate& one) { return !goal.deadline_s || goal.sure_s(one) <= *goal.deadline_s; },
      [&](const Candidate& one) { return goal.sure_usd(one); });
}

std::vector<std::string> what_it_would_take(std::span<const RankedCandidate> ranked, const Goal& goal,
                                            const AdviceQuestion& question) {
  if (ranked.empty()) return {};
  return Shortfall(ranked, goal, question).sentences();
}

}  // namespace stash
