#pragma once

#include <array>
#include <string>
#include <vector>

#include "meeting_place.h"
#include "scripted_noise.h"
#include "scripted_queue.h"
#include "simulated_clock.h"
#include "stash/core/job.h"
#include "stash/ruler/workload.h"

namespace stash {

// One rank of a scripted job. It keeps what the ruler asked of it, in order.
class ScriptedWorkload final : public Workload, private WindowProbe {
 public:
  // `place` is where the job's own collectives meet.
  ScriptedWorkload(const Script& script, const Job& job, int rank, MeetingPlace& place, SimulatedClock& clock);

  void apply(const Variant& variant) override;
  void undo() override;
  std::optional<double> enter(Condition condition, int steps) override;
  void go() override;
  std::optional<double> run(int steps) override;
  void leave() override;
  WindowProbe& probe() override { return *this; }
  double stop_s() override;
  std::optional<double> loss() const override;
  std::optional<double> weight_sum() const override;

  void note(std::string call) { calls_.push_back(std::move(call)); }
  const std::vector<std::string>& calls() const { return calls_; }

 private:
  void prepare(const Variant& variant, std::optional<std::size_t> span_room) override;
  void start() override;
  WindowSight stop() override;
  std::optional<TimedTrace> trace(double wall_s) override;

  void step(int index);
  void take_batch();
  void communicate();
  double added_s(Condition condition) const;  // by this condition, if it is switched on
  std::int64_t batch_ns(int batch) const;
  std::optional<double> queued_samples();

  const Script& script_;
  const Job& job_;
  int rank_;
  MeetingPlace& place_;
  SimulatedClock& clock_;
  ScriptedChance chance_;
  ScriptedQueue queue_;
  std::vector<std::string> calls_;
  Condition condition_ = Condition::joined;
  double saved_s_ = 0;  // by the variant that is applied
  bool takes_part_ = true;
  std::array<bool, kConditions.size()> warm_{};
  bool weights_differ_ = false;
  int pages_from_ = 0, pages_until_ = 0;  // batches whose pages were loaded or evicted
  int runs_ = 0;
  // What the probe looks at.
  bool open_ = false;
  double waited_s_ = 0, collective_s_ = 0;
  WindowSight sight_;
  std::optional<std::size_t> span_room_;
  std::optional<TimedTrace> trace_;
};

}  // namespace stash
