#include "stash/battery/run_battery.h"

#include <algorithm>
#include <map>

#include "stash/attribute/attribute.h"
#include "stash/core/error.h"

namespace stash {
namespace {

class BatteryLoop {
 public:
  BatteryLoop(const std::vector<Case>& cases, const BatteryFolder& folder, BatteryLog& log, const Budget& budget,
              const BatterySteps& steps, bool retry)
      : folder_(folder), log_(log), budget_(budget), steps_(steps), all_(static_cast<int>(cases.size())) {
    for (const Case& one : cases) {
      if (const auto profile = folder.finished(one)) {
        note(one, *profile);
      } else if (one.why_not.empty() && (retry || !folder.failure(one))) {
        todo_.push_back(&one);
      }
    }
  }

  BatteryRun run() {
    for (std::size_t place = 0; place < todo_.size(); ++place) {
      if (steps_.interrupted()) result_.interrupted = true;
      if (result_.interrupted || !fits(*todo_[place])) {
        result_.left.push_back(todo_[place]->name);
        continue;
      }
      steps_.on_progress({.done = all_ - static_cast<int>(todo_.size() - place),
                          .cases = all_,
                          .name = todo_[place]->name,
                          .left_s = expected_rest_s(place)});
      run_case(*todo_[place]);
    }
    return std::move(result_);
  }

 private:
  // What a model took before it will take again, whatever its batch: most is start and the fewest rounds.
  void note(const Case& one, const Profile& profile) {
    double& known_s = took_s_[one.job.model];
    known_s = std::max(known_s, profile.elapsed_s);
  }

  double expected_s(const Case& one) const {
    const auto known = took_s_.find(one.job.model);
    return known == took_s_.end() ? one.job.max_time_s : known->second;
  }

  double expected_rest_s(std::size_t place) const {
    double sum_s = 0;
    for (; place < todo_.size(); ++place) sum_s += expected_s(*todo_[place]);
    return std::min(sum_s, budget_.left_s().value_or(sum_s));
  }

  bool fits(const Case& one) {
    const auto left_s = budget_.left_s();
    if (!left_s || expected_s(one) <= *left_s) return true;
    result_.cap = budget_.cap();
    return false;
  }

  void run_case(const Case& one) {
    log_.add("start", one.name);
    const CaseOutcome outcome = try_case(one);
    if (outcome.fault) {
      folder_.write_failure(one, *outcome.fault);
      log_.add("fail", one.name, *outcome.fault);
      ++result_.failed;
    } else if (outcome.interrupted || outcome.out_of_time) {
      cut(one, outcome);
    } else {
      folder_.write_finished(one, outcome.profile);
      log_.add("finish", one.name);
      note(one, outcome.profile);
      ++result_.finished;
    }
  }

  // A fault of one case is that case's row, not the battery's end.
  CaseOutcome try_case(const Case& one) {
    CaseOutcome outcome;
    try {
      Case shorter = one;
      const auto left_s = budget_.left_s();
      if (left_s) shorter.job.max_time_s = std::min(one.job.max_time_s, *left_s);
      outcome = steps_.run(shorter, left_s);
    } catch (const Error& error) {
      outcome.fault = error.what();
    }
    const bool whole = outcome.profile.complete && count_complete_rounds(outcome.profile) >= kFewestRounds;
    const bool ended = outcome.fault || outcome.interrupted || outcome.out_of_time;
    if (!ended && !whole) outcome.fault = "it ended before two rounds were measured";
    return outcome;
  }

  void cut(const Case& one, const CaseOutcome& outcome) {
    log_.add("cut", one.name, outcome.out_of_time ? budget_.cap() : "interrupted");
    result_.left.push_back(one.name);
    if (outcome.out_of_time) result_.cap = budget_.cap();
    if (outcome.interrupted) result_.interrupted = true;
  }

  const BatteryFolder& folder_;
  BatteryLog& log_;
  const Budget& budget_;
  const BatterySteps& steps_;
  int all_;
  std::vector<const Case*> todo_;
  std::map<std::string, double> took_s_;  // by model
  BatteryRun result_;
};

}  // namespace

BatteryRun run_battery(const std::vector<Case>& cases, const BatteryFolder& folder, BatteryLog& log,
                       const Budget& budget, const BatterySteps& steps, bool retry) {
  return BatteryLoop(cases, folder, log, budget, steps, retry).run();
}

}  // namespace stash
