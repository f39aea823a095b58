#pragma once

#include <optional>

#include "stash/share/supply_curve.h"

namespace stash {

// What a rank loaded while the number of its workers did not change.
struct LoaderWindow {
  int workers = 1;
  double elapsed_s = 0;
  double samples = 0;
  double waited_s = 0;  // by the training loop
  double busy_s = 0;    // of all workers
};

// Why a report cannot be true; nullptr: it can.
const char* doubt_of(const LoaderWindow& window);

// A rank's throughput by workers, learnt while it trains. Workers supply as many samples as their time on one allows,
// up to the ceiling of the step without input, which shows as soon as workers are idle; until then the time that the
// loop does not wait is taken for it, which is optimistic where an accelerator works behind the loop.
class LiveCurve {
 public:
  void add(const LoaderWindow& window);

  bool is_known() const { return windows_ >= kFewestWindows; }
  double rate(int workers) const;                  // samples per second
  bool is_bound() const { return bound_; }         // by its workers
  bool knows_bend() const { return knows_bend_; }  // was seen with two numbers of workers
  double ceiling() const { return ceiling_; }
  double worker_s() const { return worker_s_; }  // of a sample, with the present number of workers
  double spread_ratio() const;                   // half a 95 % interval of the present rate
  double measured() const { return measured_; }  // the present rate
  double waiting_ratio() const { return waiting_; }

 private:
  static constexpr int kFewestWindows = 2;

  double supply(int workers) const;
  void change_workers(int workers);
  void take_supply(const LoaderWindow& window, double rate, bool bound, double weight);
  void take_ceiling(const LoaderWindow& window, double rate, bool bound, double weight);

  int windows_ = 0;       // all
  int held_ = 0;          // workers now
  int held_windows_ = 0;  // with them
  double worker_s_ = 0;   // of a sample, with `held_` workers
  double overhead_ = 1;   // of a batch over what its workers are busy
  double bend_ = 0.02;    // the time of a sample grows with this power of the workers
  double ceiling_ = 0;
  bool ceiling_seen_ = false;
  bool bound_ = false, knows_bend_ = false;
  double measured_ = 0, waiting_ = 0;
  double variance_ = 0;        // of a window's rate, relative
  std::optional<int> before_;  // workers before the last change
  double before_worker_s_ = 0;
};

// The curve of a job: its slowest rank with up to `most` workers on each.
SupplyCurve curve_of_ranks(const std::vector<const LiveCurve*>& ranks, int min_workers, int most);

}  // namespace stash
