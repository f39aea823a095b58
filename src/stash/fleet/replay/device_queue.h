#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "stash/fleet/replay/batch_table.h"
#include "stash/fleet/replay/latency_histogram.h"

namespace stash {

// What became of requests, added up for whoever looks.
struct QueueLog {
  std::uint64_t answered = 0;
  std::uint64_t late = 0;     // of them, after the objective
  std::uint64_t refused = 0;  // taken first, but the batch before was slower than expected
  double latency_s = 0;       // sum of the answered ones
  double busy_s = 0;          // of devices
  LatencyHistogram* latencies = nullptr;
};

inline constexpr double kNever_s = std::numeric_limits<double>::infinity();

// One device with the requests that wait for it, in simulated time. It advances only when something is asked of it:
// what it does until then does not depend on others, so no queue of events is needed.
class DeviceQueue {
 public:
  DeviceQueue(const BatchTable& table, double objective_s, double from_s, QueueLog& log)  // both outlive it
      : table_(&table), log_(&log), objective_s_(objective_s), free_s_(from_s), ring_(kFirstRoom) {}

  // Whether a request that has just been noted would be in time. As done_ns in serve/batching/batch_rule.cpp.
  bool would_meet(double now_s) const {
    const int most = table_->most_rows();
    const auto ahead = static_cast<int>(waiting_);
    const int full_batches = ahead / most;
    const double begin_s = std::max(now_s, in_batch_ > 0 ? end_s_ : free_s_) + full_batches * expected_s(most);
    const double joiners = std::min(fading_ / kFade_s * (begin_s - now_s), 1e6);
    const int own = std::min(most, ahead % most + 1 + static_cast<int>(joiners));
    return begin_s + expected_s(own) + kAnswer_s - now_s <= objective_s_;
  }

  // Notes an arrival, taken or not: the rate of those that come decides how long a batch waits.
  void note(double now_s) {
    fading_ = fading_ * std::exp((last_s_ - now_s) / kFade_s) + 1;
    last_s_ = now_s;
  }

  // A request of this work, 1: the usual one. Advanced to now and noted before.
  void push(double now_s, float work) {
    if (waiting_ + in_batch_ == ring_.size()) grow();
    ring_[(head_ + in_batch_ + waiting_) & (ring_.size() - 1)] = {now_s, work};
    ++waiting_;
    if (in_batch_ == 0) due_s_ = due_after(free_s_);
  }

  // Ends and begins what is due until then.
  void advance(double until_s) {
    for (;;) {
      if (in_batch_ > 0) {
        if (end_s_ > until_s) return;
        finish();
      }
      if (waiting_ == 0 || due_s_ > until_s) return;
      begin();
    }
  }

  // Ends all that is inside; when that is. Nothing comes any more.
  double finish_all() {
    advance(kNever_s);
    return free_s_;
  }
  std::size_t inside() const { return in_batch_ + waiting_; }  // that are lost with the machine

 private:
  struct Waiting {
    double at_s;
    float work;
  };
  static constexpr std::size_t kFirstRoom = 16;
  static constexpr double kFade_s = 0.5;       // as in serve/batching/arrival_rate.cpp
  static constexpr double kAnswer_s = 0.0002;  // as in serve/batching/scheduler.cpp

  const Waiting& at(std::size_t i) const { return ring_[(head_ + i) & (ring_.size() - 1)]; }
  double expected_s(int rows) const { return table_->time_s(rows) * work_ratio_; }
  double due_after(double free_s) const;
  void begin();
  void grow();

  void finish() {
    for (std::size_t i = 0; i < in_batch_; ++i) {
      const double latency_s = end_s_ - at(i).at_s;
      log_->latencies->add(latency_s);
      log_->latency_s += latency_s;
      log_->late += latency_s > objective_s_ ? 1 : 0;
    }
    log_->answered += in_batch_;
    head_ += in_batch_;
    in_batch_ = 0;
    free_s_ = end_s_;
    if (waiting_ > 0) due_s_ = due_after(free_s_);
  }

  const BatchTable* table_;
  QueueLog* log_;
  double objective_s_;
  double free_s_;
  double end_s_ = 0;         // of the batch
  double due_s_ = kNever_s;  // of the next one
  double fading_ = 0;        // arrivals of late
  // Where requests differ in size: what batches took of late over T(b), the mean and how far they were from it; and
  // what is expected, which is their sum.
  double mean_work_ = 1, work_deviation_ = 0, work_ratio_ = 1;
  double last_s_ = 0;
  std::size_t head_ = 0;
  std::size_t in_batch_ = 0;   // the first ones in the ring
  std::size_t waiting_ = 0;    // behind them
  std::vector<Waiting> ring_;  // its size is a power of two
};

}  // namespace stash
