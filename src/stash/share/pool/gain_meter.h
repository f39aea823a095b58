#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "stash/share/pool/pool_state.h"

namespace stash {

// Alternates between the pool's split and an even one, in pairs of windows in random order, and compares what the jobs
// loaded in both. Times are the caller's.
class GainMeter {
 public:
  explicit GainMeter(double window_s) : window_s_(window_s) {}

  PoolPolicy side() const { return side_; }
  double window_s() const { return window_s_; }
  double ends_s() const { return start_s_ + window_s_; }

  // The jobs that run are others from now on: the pair under way counts for nothing.
  void restart(double now_s);
  // True: a window has ended and another begins, for which side() holds.
  bool advance(double now_s);
  // What a rank of a job loaded, with the split of this window in effect all the while.
  void add(const std::string& job, int rank, double samples, double elapsed_s);

  std::optional<PoolGain> gain() const;  // nullopt: no pair is complete
  bool is_loss() const;                  // an even split is better, beyond doubt

 private:
  struct Loaded {
    double samples = 0;
    double elapsed_s = 0;
  };
  using JobRates = std::map<std::string, double>;
  using JobLoads = std::map<std::string, std::map<int, Loaded>>;

  void begin_pair();
  static JobRates rates_of_window(const JobLoads& loads);
  void end_pair();

  double window_s_;
  double start_s_ = 0;
  PoolPolicy side_ = PoolPolicy::need;
  bool is_second_ = false;  // of the pair
  std::map<PoolPolicy, JobLoads> loads_;
  std::vector<double> gains_;
  std::mt19937 random_{1};
};

}  // namespace stash
