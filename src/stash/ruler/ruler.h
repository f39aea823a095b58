#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "stash/core/profile.h"
#include "stash/ruler/clocks.h"
#include "stash/ruler/control.h"
#include "stash/ruler/ruler_report.h"
#include "stash/ruler/time_source.h"
#include "stash/ruler/workload.h"

namespace stash {

// What a ruler works with; all of it outlives the ruler.
struct RulerParts {
  const Job& job;
  Workload& workload;
  Control& control;
  RulerReport& report;
  const TimeSource& time = monotonic_time();
};

// Measures windows and rounds; every rank runs it in step with the others. docs/method.md says why each step.
class Ruler {
 public:
  explicit Ruler(const RulerParts& parts)
      : job_(parts.job), workload_(parts.workload), control_(parts.control), report_(parts.report), time_(parts.time) {}

  // Finds how many steps the windows of every condition and variant need. All ranks have the same variants.
  void pilot(const std::vector<Condition>& conditions, const std::vector<Variant>& variants = {});
  // Visits every condition once, and some of the variants, in a random order, and adds their windows to `so_far` as
  // they are complete. False: the run was asked to stop in between.
  bool round(int index, Profile& so_far, const std::function<bool()>& stop);

  const std::vector<Variant>& variants() const { return variants_; }  // that could be made so far
  double edge_s() const { return edge_s_; }
  double round_s() const { return round_s_; }                        // what a round is expected to take
  std::int64_t rounds_start_ns() const { return rounds_start_ns_; }  // the pilot's end; max_time_s counts from there
  double clocks_s() const { return clocks_s_; }                      // by how much ranks' times of arrival may be wrong

 private:
  void touch(const Variant& variant);
  double time_steps(const Variant& variant, int steps);
  double pilot_step_s(const Variant& variant);
  void pilot_variants(const std::vector<Variant>& variants);
  double measure_edge();
  bool make_change(const Variant& variant);
  void undo_change(const Variant& variant);
  std::vector<Variant> due(int round) const;
  Window measure(int round, const Variant& variant);
  void align();

  const Job& job_;
  Workload& workload_;
  Control& control_;
  RulerReport& report_;
  const TimeSource& time_;
  std::vector<Condition> conditions_;
  std::vector<Variant> variants_;
  std::size_t variants_of_round_ = 0;
  std::map<Variant, int> steps_;  // of a window
  ClockOffset clock_;
  double clocks_s_ = 0;
  double edge_s_ = 0;
  double round_s_ = 0;
  std::int64_t rounds_start_ns_ = 0;
};

}  // namespace stash
