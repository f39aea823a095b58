#include "stash/measure/pooled_training.h"

#include <algorithm>
#include <cmath>
#include <mutex>

#include "stash/core/clock.h"

namespace stash {
namespace {

constexpr double kRun_s = 0.02;  // steps that the host may issue before it waits for the device
constexpr int kMostStepsOfRun = 64;
constexpr double kTell_s = 0.5;

// What the pool's thread reads while the rank trains.
class SharedCount {
 public:
  void set(const LoadedSoFar& loaded) {
    const std::lock_guard lock(mutex_);
    loaded_ = loaded;
  }
  LoadedSoFar get() const {
    const std::lock_guard lock(mutex_);
    return loaded_;
  }

 private:
  mutable std::mutex mutex_;
  LoadedSoFar loaded_;
};

class PooledTraining {
 public:
  explicit PooledTraining(const TrainingParts& parts) : parts_(parts), ranks_(parts.control.size()) {}
  ~PooledTraining() {  // also where a step failed: the pool's thread uses what goes with this object
    if (parts_.member != nullptr) parts_.member->end();
  }
  PooledTraining(const PooledTraining&) = delete;
  PooledTraining& operator=(const PooledTraining&) = delete;

  void run() {
    // Slow storage is felt where pages are not cached.
    parts_.workload.enter(parts_.job.inject.read_bytes_per_s ? Condition::cold : Condition::hot, 1);
    parts_.workload.go();
    start_ns_ = now_ns();
    count();
    if (parts_.member != nullptr) {
      parts_.member->start([this] { return shared_.get(); },
                           [this](int workers) { parts_.pipeline.set_workers(workers); });
    }
    while (!is_over()) {
      const std::int64_t begin_ns = now_ns();
      parts_.workload.run(steps_of_run_);
      batches_ += steps_of_run_;
      count();
      const double step_s = seconds(now_ns() - begin_ns) / steps_of_run_;
      steps_of_run_ = std::clamp(static_cast<int>(kRun_s / std::max(step_s, 1e-6)), 1, kMostStepsOfRun);
      // All ranks run as many steps, or their collectives would not match.
      steps_of_run_ = static_cast<int>(std::lround(parts_.control.from_rank_0(steps_of_run_)));
      tell(false);
    }
    if (parts_.member != nullptr) parts_.member->end();
    tell(true);
    parts_.workload.leave();
  }

 private:
  double samples() const { return static_cast<double>(batches_) * parts_.job.batch * ranks_; }

  void count() {
    const InputCounters made = parts_.pipeline.counters();
    LoadedSoFar loaded{.at_ns = now_ns(),
                       .samples = batches_ * parts_.job.batch,
                       .batches = batches_,
                       .waited_s = parts_.batches.waited_s(),
                       .busy_s = made.read_s + made.decode_s + made.augment_s + made.injected_s};
    if (parts_.samples) loaded.samples_left = std::max(*parts_.samples - samples(), 0.0);
    shared_.set(loaded);
  }

  bool is_over() {
    const bool enough = parts_.samples && samples() >= *parts_.samples;
    const bool late = seconds(now_ns() - start_ns_) >= parts_.job.max_time_s;
    return parts_.control.any(enough || late || parts_.stop());
  }

  void tell(bool at_end) {
    const std::int64_t time_ns = now_ns();
    if (!at_end && seconds(time_ns - told_ns_) < kTell_s) return;
    told_ns_ = time_ns;
    parts_.tell({.samples = samples(),
                 .s = seconds(time_ns - start_ns_),
                 .waited_s = parts_.batches.waited_s(),
                 .workers = parts_.pipeline.workers()});
  }

  const TrainingParts& parts_;
  int ranks_;
  std::int64_t batches_ = 0;  // of this rank
  int steps_of_run_ = 1;
  std::int64_t start_ns_ = 0, told_ns_ = 0;
  SharedCount shared_;
};

}  // namespace

std::unique_ptr<PoolMember> join_pool(const RankSetup& setup, int workers) {
  if (!setup.order.pool) return nullptr;
  const int here = static_cast<int>(setup.team.ranks_here().size());
  return std::make_unique<PoolMember>(
      *setup.order.pool,
      PoolMember::Rank{.rank = setup.team.rank(), .ranks_here = std::max(here, 1), .workers = workers});
}

void train_on(const TrainingParts& parts) {
  PooledTraining training(parts);
  training.run();
}

}  // namespace stash
