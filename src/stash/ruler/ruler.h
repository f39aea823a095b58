#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "stash/core/profile.h"
#include "stash/measure/clocks.h"
#include "stash/measure/collective_log.h"
#include "stash/measure/control.h"
#include "stash/measure/workload.h"

namespace stash {

// Measures windows and rounds; every rank runs it in step with the others. docs/method.md says why each step.
class Ruler {
 public:
  Ruler(const Job& job, Workload& workload, Control& control, CollectiveLog& log)
      : job_(job), workload_(workload), control_(control), log_(log) {}

  // Finds how many steps the windows of every condition need.
  void pilot(const std::vector<Condition>& conditions);
  // Visits every condition once, in a random order; `on_window` sees each window as it is complete (rank 0's view), and
  // where it was traced what every rank has to report of it. False: the run was asked to stop in between.
  using OnWindow = std::function<void(const Window&, const std::vector<std::string>& trace_lines)>;
  bool round(int index, const OnWindow& on_window, const std::function<bool()>& stop);

  double edge_s() const { return edge_s_; }
  double round_s() const { return round_s_; }    // what a round is expected to take
  double clocks_s() const { return clocks_s_; }  // by how much ranks' times of arrival may be wrong

 private:
  double slowest_s(double own_s);
  double time_steps(Condition condition, int steps);
  double pilot_step_s(Condition condition);
  double measure_edge();
  void measure(int round, Condition condition, const OnWindow& on_window);
  Window gather(Window window, const RankSample& own);
  void add_arrivals(Window& window, std::vector<double> own_s);
  std::vector<std::string> gather_trace(const Window& window, double wall_s);
  void align();
  void check_loss();
  void check_weights(Condition condition);

  const Job& job_;
  Workload& workload_;
  Control& control_;
  CollectiveLog& log_;
  std::vector<Condition> conditions_;
  std::map<Condition, int> steps_;  // of a window
  ClockOffset clock_;
  double clocks_s_ = 0;
  double edge_s_ = 0;
  double round_s_ = 0;
};

}  // namespace stash
