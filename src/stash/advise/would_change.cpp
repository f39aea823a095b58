#include "stash/advise/would_change.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "stash/core/price.h"
#include "stash/core/units.h"

namespace stash {

namespace {

constexpr std::size_t kMostOthers = 3;      // machines named for one kind of change
constexpr double kDeepestCutRatio = 0.25;   // a price or step below this share of today's is no use to know
constexpr double kWidestRiseRatio = 10;     // nor one above this for the first
constexpr double kClearlyBelow = 1 - 1e-9;  // at the threshold itself there is a tie
constexpr double kWorthwhileRatio = 0.95;  // what a longer deadline or more risk leaves of the amount; else it is a tie
constexpr double kLeastCertainty = 0.5;    // what fails more often than not is no advice

// The candidates of one instance of one cloud.
using NodeCounts = std::vector<const RankedCandidate*>;

struct Change {
  const Prediction* machine = nullptr;
  double now = 0;
  double threshold = 0;  // below it the machine is first
  double ratio() const { return threshold / now; }
};

std::string percent(double ratio) { return fmt::format("{:.{}f} %", ratio * 100, ratio < 0.0995 ? 1 : 0); }

// In the order of their best candidate.
std::vector<NodeCounts> by_machine(std::span<const RankedCandidate> ranked) {
  std::map<std::pair<std::string_view, std::string_view>, std::size_t> places;
  std::vector<NodeCounts> machines;
  for (const RankedCandidate& candidate : ranked) {
    const std::pair<std::string_view, std::string_view> key(candidate.prediction->cloud,
                                                            candidate.prediction->instance);
    const auto [place, is_new] = places.try_emplace(key, machines.size());
    if (is_new) machines.emplace_back();
    machines[place->second].push_back(&candidate);
  }
  return machines;
}

// Of one machine: the highest price at which one of its node counts comes before `rival`; 0: no price does it,
// infinity: any.
double first_below_usd_per_h(const NodeCounts& machine, const Candidate& rival, const Goal& goal,
                             const AdviceQuestion& question) {
  double threshold = 0;
  for (const Candidate* candidate : machine) {
    const auto cost_usd = goal.cost_to_beat(rival, *candidate);
    if (!cost_usd) continue;
    const double all_usd_per_h = *cost_usd / candidate->time_s * kSecondsPerHour - question.storage_usd_per_h;
    threshold = std::max(threshold, all_usd_per_h / candidate->prediction->nodes);
  }
  return threshold;
}

// The step, as a share of the predicted one, below which one of its node counts comes before `rival`.
double first_below_step_ratio(const NodeCounts& machine, const Candidate& rival, const Goal& goal) {
  double threshold = 0;
  for (const Candidate* candidate : machine) {
    threshold = std::max(threshold, goal.steps_to_beat(rival, *candidate));
  }
  return threshold;
}

// The machines that need the smallest change, of those for which it is not out of reach.
std::vector<Change> nearest_changes(std::vector<Change> changes) {
  std::erase_if(changes, [](const Change& change) {
    return !(change.ratio() >= kDeepestCutRatio && change.ratio() < kClearlyBelow);
  });
  std::ranges::stable_sort(changes, std::ranges::greater{}, &Change::ratio);
  changes.resize(std::min(changes.size(), kMostOthers));
  return changes;
}

bool has_near_tie(const NodeCounts& machine) {
  return std::ranges::any_of(machine, [](const RankedCandidate* candidate) { return candidate->group == 1; });
}

class Sentences {
 public:
  Sentences(const Ranking& ranking, const Goal& goal, const AdviceQuestion& question)
      : ranked_(ranking.candidates),
        sure_(ranked_.first(ranking.sure)),
        goal_(goal),
        question_(question),
        machines_(by_machine(ranked_)),
        best_(*least(sure_, [](const RankedCandidate& candidate) { return candidate.group == 1; })) {}

  std::vector<std::string> all() {
    prices_of_others();
    steps_of_others();
    the_first();
    less_certainty();
    another_deadline();
    another_budget();
    return std::move(sentences_);
  }

 private:
  const RankedCandidate& first() const { return ranked_.front(); }

  // Of those that `may`, the one with the smallest amount; null: there is none.
  const RankedCandidate* least(std::span<const RankedCandidate> candidates, auto&& may) const {
    const RankedCandidate* found = nullptr;
    for (const RankedCandidate& candidate : candidates) {
      if (may(candidate) && (found == nullptr || goal_.amount(candidate) < goal_.amount(*found))) found = &candidate;
    }
    return found;
  }

  std::string_view superlative() const {
    return !goal_.is_asked() ? "best" : goal_.deadline_s ? "cheapest" : "fastest";
  }

  // Near-ties of the first have nothing to change.
  std::vector<Change> changes_of_others(auto&& change_of) const {
    std::vector<Change> changes;
    for (const NodeCounts& machine : machines_) {
      if (!has_near_tie(machine)) changes.push_back(change_of(machine));
    }
    return nearest_changes(std::move(changes));
  }

  void prices_of_others() {
    const auto change_of = [&](const NodeCounts& machine) {
      const Prediction& prediction = *machine.front()->prediction;
      return Change{&prediction, *price_of(prediction, question_),
                    first_below_usd_per_h(machine, best_, goal_, question_)};
    };
    for (const Change& change : changes_of_others(change_of)) {
      sentences_.push_back(fmt::format("{} would be the {} below {}/h (now {}{})", change.machine->instance,
                                       superlative(), price_at_most(change.threshold), format_price(change.now),
                                       spot_remark(change)));
    }
  }

  // What the machine costs today to those who can bear interruptions.
  std::string spot_remark(const Change& change) const {
    const auto& spot = change.machine->spot_usd_per_h;
    if (question_.spot || !spot || !(*spot / change.machine->nodes < change.threshold)) return "";
    return fmt::format("; its spot price is {}", format_price(*spot / change.machine->nodes));
  }

  void steps_of_others() {
    const auto change_of = [&](const NodeCounts& machine) {
      return Change{machine.front()->prediction, 1, first_below_step_ratio(machine, best_, goal_)};
    };
    for (const Change& change : changes_of_others(change_of)) {
      const Estimate& step = change.machine->ledger.step;
      sentences_.push_back(fmt::format(
          "{} would be the {} with steps {} shorter than predicted (the interval allows {})", change.machine->instance,
          superlative(), percent(1 - change.threshold), percent(std::clamp(1 - step.low_s / step.s, 0.0, 1.0))));
    }
  }

  // Against the best of the machines that are no near-tie.
  void the_first() {
    const Prediction& prediction = *first().prediction;
    const RankedCandidate* rival = nullptr;
    for (const NodeCounts& machine : machines_) {
      if (has_near_tie(machine)) continue;
      for (const RankedCandidate* other : machine) {
        const bool is_sure = other->group.has_value();
        if (is_sure && (rival == nullptr || goal_.amount(*other) < goal_.amount(*rival))) rival = other;
      }
    }
    if (rival == nullptr) return;
    const NodeCounts& machine = machines_.front();
    const double price = *price_of(prediction, question_);
    const double most = first_below_usd_per_h(machine, *rival, goal_, question_);
    if (most > price && most / price < kWidestRiseRatio) {
      sentences_.push_back(fmt::format("{} stays ahead of {} up to {}/h (now {})", prediction.instance,
                                       name_of(*rival->prediction), price_at_most(most), format_price(price)));
    }
    const double longest = first_below_step_ratio(machine, *rival, goal_);
    if (longest > 1 && longest < kWidestRiseRatio) {
      sentences_.push_back(fmt::format(
          "{} stays ahead of {} with steps up to {} longer than predicted (the interval allows {})",
          prediction.instance, name_of(*rival->prediction), percent(longest - 1), percent(first().high_ratio - 1)));
    }
  }

  bool is_worth_it(const RankedCandidate& candidate) const {
    return goal_.amount(candidate) < kWorthwhileRatio * goal_.amount(best_);
  }

  // What counts of an option: what it costs or how long it takes.
  std::string gain(const Candidate& candidate) const {
    return goal_.deadline_s ? "for " + format_usd(*candidate.cost_usd) : "in " + format_duration(candidate.time_s);
  }

  void less_certainty() {
    const RankedCandidate* next = least(ranked_.subspan(sure_.size()), [&](const RankedCandidate& candidate) {
      return candidate.meets_ratio >= kLeastCertainty && is_worth_it(candidate);
    });
    if (next == nullptr) return;
    sentences_.push_back(fmt::format("with {:.0f} % probability instead of {:g} %: {} {}",
                                     std::floor(next->meets_ratio * 100), goal_.sure_ratio * 100,
                                     name_of(*next->prediction), gain(*next)));
  }

  // The smallest extension that makes something cheaper possible.
  void another_deadline() {
    if (!goal_.deadline_s) return;
    const RankedCandidate* next = nullptr;
    for (const RankedCandidate& candidate : ranked_) {
      const bool helps = goal_.sure_s(candidate) > *goal_.deadline_s * Goal::kMet && is_worth_it(candidate);
      if (helps && (next == nullptr || goal_.sure_s(candidate) < goal_.sure_s(*next))) next = &candidate;
    }
    if (next == nullptr) return;
    sentences_.push_back(fmt::format("with a deadline of {} instead of {}: {} {}",
                                     duration_at_least(goal_.sure_s(*next)), format_duration(*goal_.deadline_s),
                                     name_of(*next->prediction), gain(*next)));
  }

  void another_budget() {
    if (!goal_.budget_usd || goal_.deadline_s) return;
    const RankedCandidate* next = nullptr;
    for (const RankedCandidate& candidate : ranked_) {
      const bool helps = goal_.sure_usd(candidate) > *goal_.budget_usd * Goal::kMet && is_worth_it(candidate);
      if (helps && (next == nullptr || goal_.sure_usd(candidate) < goal_.sure_usd(*next))) next = &candidate;
    }
    if (next == nullptr) return;
    sentences_.push_back(fmt::format("with a budget of {} instead of {}: {} {}", usd_at_least(goal_.sure_usd(*next)),
                                     format_usd(*goal_.budget_usd), name_of(*next->prediction), gain(*next)));
  }

  std::span<const RankedCandidate> ranked_;
  std::span<const RankedCandidate> sure_;
  const Goal& goal_;
  const AdviceQuestion& question_;
  std::vector<NodeCounts> machines_;
  const RankedCandidate& best_;  // by what counts alone; the first may be a near-tie of it
  std::vector<std::string> sentences_;
};

}  // namespace

std::vector<std::string> what_would_change(const Ranking& ranking, const Goal& goal, const AdviceQuestion& question) {
  if (ranking.sure == 0 || !goal.priced) return {};
  return Sentences(ranking, goal, question).all();
}

}  // namespace stash
