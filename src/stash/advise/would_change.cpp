#include "stash/advise/would_change.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
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

// The candidates of one instance of one cloud.
using NodeCounts = std::vector<const Candidate*>;

struct Change {
  const Prediction* machine = nullptr;
  double now = 0;
  double threshold = 0;  // below it the machine is first
  double ratio() const { return threshold / now; }
};

// Durations show at least three digits, minutes and hours from two on at least a hundredth of them.
std::string duration_at_least(double s) {
  if (s < 119.5) return format_duration(s * 1.005);
  const double unit = s < 119.5 * 60                ? 60
                      : s < 9.995 * kSecondsPerHour ? 36
                      : s < 99.95 * kSecondsPerHour ? 360
                                                    : kSecondsPerHour;
  return format_duration(std::ceil(s / unit) * unit);
}

std::string percent(double ratio) { return fmt::format("{:.{}f} %", ratio * 100, ratio < 0.0995 ? 1 : 0); }

// In the order of their best candidate.
std::vector<NodeCounts> by_machine(std::span<const Candidate> ranked) {
  std::map<std::pair<std::string_view, std::string_view>, std::size_t> places;
  std::vector<NodeCounts> machines;
  for (const Candidate& candidate : ranked) {
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
    const auto cost_usd = goal.cost_to_beat(rival, candidate->time_s);
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
    const double time_s = goal.time_to_beat(rival, *candidate->usd_per_s);
    threshold = std::max(threshold, (time_s - candidate->fixed_s) / candidate->steps_s);
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

class Sentences {
 public:
  Sentences(std::span<const Candidate> ranked, const Goal& goal, const AdviceQuestion& question)
      : ranked_(ranked), goal_(goal), question_(question), machines_(by_machine(ranked)) {}

  std::vector<std::string> all() {
    prices_of_others();
    steps_of_others();
    the_first();
    another_deadline();
    another_budget();
    return std::move(sentences_);
  }

 private:
  const Candidate& first() const { return ranked_.front(); }

  std::vector<Change> changes_of_others(auto&& change_of) const {
    std::vector<Change> changes;
    for (std::size_t i = 1; i < machines_.size(); ++i) changes.push_back(change_of(machines_[i]));
    return nearest_changes(std::move(changes));
  }

  void prices_of_others() {
    const auto change_of = [&](const NodeCounts& machine) {
      const Prediction& prediction = *machine.front()->prediction;
      return Change{&prediction, *price_of(prediction, question_),
                    first_below_usd_per_h(machine, first(), goal_, question_)};
    };
    for (const Change& change : changes_of_others(change_of)) {
      sentences_.push_back(fmt::format("{} would be first below {}/h (now {}{})", change.machine->instance,
                                       price_at_most(change.threshold), format_price(change.now), spot_remark(change)));
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
      return Change{machine.front()->prediction, 1, first_below_step_ratio(machine, first(), goal_)};
    };
    for (const Change& change : changes_of_others(change_of)) {
      const Estimate& step = change.machine->ledger.step;
      sentences_.push_back(fmt::format(
          "{} would be first with steps {} shorter than predicted (the interval allows {})", change.machine->instance,
          percent(1 - change.threshold), percent(std::clamp(1 - step.low_s / step.s, 0.0, 1.0))));
    }
  }

  void the_first() {
    if (machines_.size() < 2) return;
    const NodeCounts& machine = machines_.front();
    const Candidate& rival = *machines_[1].front();
    const Prediction& prediction = *first().prediction;
    const double price = *price_of(prediction, question_);
    const double most = first_below_usd_per_h(machine, rival, goal_, question_);
    if (most / price < kWidestRiseRatio) {
      sentences_.push_back(fmt::format("{} stays first up to {}/h (now {}), then comes {}", prediction.instance,
                                       price_at_most(most), format_price(price), name_of(*rival.prediction)));
    }
    const double longest = first_below_step_ratio(machine, rival, goal_);
    if (longest < kWidestRiseRatio) {
      sentences_.push_back(
          fmt::format("{} stays first with steps up to {} longer than predicted (the interval allows {})",
                      prediction.instance, percent(longest - 1), percent(first().high_ratio - 1)));
    }
  }

  // The smallest extension that makes something cheaper possible.
  void another_deadline() {
    if (!goal_.deadline_s) return;
    const Candidate* next = nullptr;
    for (const Candidate& candidate : ranked_) {
      const bool helps = candidate.time_s > *goal_.deadline_s * Goal::kMet && *candidate.cost_usd < *first().cost_usd;
      if (helps && (next == nullptr || candidate.time_s < next->time_s)) next = &candidate;
    }
    if (next == nullptr) return;
    sentences_.push_back(fmt::format("with a deadline of {} instead of {}: {} for {}", duration_at_least(next->time_s),
                                     format_duration(*goal_.deadline_s), name_of(*next->prediction),
                                     format_usd(*next->cost_usd)));
  }

  void another_budget() {
    if (!goal_.budget_usd || goal_.deadline_s) return;
    const Candidate* next = nullptr;
    for (const Candidate& candidate : ranked_) {
      const bool helps = *candidate.cost_usd > *goal_.budget_usd * Goal::kMet && candidate.time_s < first().time_s;
      if (helps && (next == nullptr || *candidate.cost_usd < *next->cost_usd)) next = &candidate;
    }
    if (next == nullptr) return;
    sentences_.push_back(fmt::format("with a budget of {} instead of {}: {} in {}", usd_at_least(*next->cost_usd),
                                     format_usd(*goal_.budget_usd), name_of(*next->prediction),
                                     format_duration(next->time_s)));
  }

  std::span<const Candidate> ranked_;
  const Goal& goal_;
  const AdviceQuestion& question_;
  std::vector<NodeCounts> machines_;
  std::vector<std::string> sentences_;
};

}  // namespace

std::vector<std::string> what_would_change(std::span<const Candidate> ranked, const Goal& goal,
                                           const AdviceQuestion& question) {
  if (ranked.empty() || !goal.priced) return {};
  return Sentences(ranked, goal, question).all();
}

}  // namespace stash
