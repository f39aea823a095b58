#pragma once

#include <map>
#include <vector>

#include "stash/share/pool/recent_windows.h"
#include "stash/share/pool/worker_cost.h"
#include "stash/share/supply_curve.h"

namespace stash {

// A rank's throughput by workers, learnt while it trains. Workers supply as many samples as their time on one allows,
// up to the ceiling of the step without input, which shows as soon as workers are idle; until then the time that the
// loop does not wait is taken for it, which is optimistic where an accelerator works behind the loop.
class LiveCurve {
 public:
  void add(const LoaderWindow& window);

  bool is_known() const { return windows_ >= kFewestWindows; }
  double rate(int workers) const;           // samples per second
  bool is_bound() const { return bound_; }  // by its workers
  bool knows_bend() const;                  // was seen with two numbers of workers
  bool is_settled() const;                  // was seen long enough with the present number
  double ceiling() const { return ceiling_; }
  double worker_s() const;      // of a sample, with the present number of workers
  double spread_ratio() const;  // half a 95 % interval of the present rate
  double measured() const;      // the present rate
  double waiting_ratio() const;

 private:
  static constexpr int kFewestWindows = 2;

  struct Seen {
    RecentWindows recent;
    double sample_s = 0;   // on a worker
    double deviation = 0;  // of it, relative
    double settled_s = 0;  // sample_s, when its windows had become enough
    int windows = 0;       // since the workers became so many
    int last_window = 0;   // of all
  };

  void change_workers(int workers);
  void take_supply(Seen& now);
  void take_change_of_cost(Seen& now);
  void take_ceiling(const Seen& now);
  void fit();
  const Seen& present() const { return seen_.at(held_); }

  int windows_ = 0;           // all
  int held_ = 0;              // workers now
  std::map<int, Seen> seen_;  // by workers
  WorkerCost cost_;
  double overhead_ = 1;  // of a batch over what its workers are busy
  double ceiling_ = 0;
  bool ceiling_seen_ = false;
  bool bound_ = false;
};

// The curve of a job: its slowest rank with up to `most` workers on each.
SupplyCurve curve_of_ranks(const std::vector<const LiveCurve*>& ranks, int min_workers, int most);

}  // namespace stash
