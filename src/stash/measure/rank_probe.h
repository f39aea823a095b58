#pragma once

#include <functional>

#include "stash/measure/span_log.h"
#include "stash/measure/switch/collective_log.h"
#include "stash/ruler/window_probe.h"

namespace stash {

// What only the workload knows.
struct ProbeSources {
  std::function<double()> waited_s;                       // for batches, since the start
  std::function<std::optional<double>()> queued_samples;  // under a condition with input
  // Adds the device times of stream-ordered collectives to the log. The device is idle.
  std::function<void()> collect_device_times;
};

// Looks at what the switch and the workload leave in their logs, which outlive it.
class RankProbe final : public WindowProbe {
 public:
  RankProbe(CollectiveLog& log, SpanLog& spans, c10::Device device, ProbeSources sources)
      : log_(log), spans_(spans), device_(device), sources_(std::move(sources)) {}

  void prepare(const Variant& variant, std::optional<std::size_t> span_room) override;
  void start() override;
  WindowSight stop() override;
  std::optional<TimedTrace> trace(double wall_s) override;

 private:
  std::optional<double> queued_samples() const;

  CollectiveLog& log_;
  SpanLog& spans_;
  c10::Device device_;
  ProbeSources sources_;
  Condition condition_ = Condition::joined;
  CollectiveLog::Shelf shelf_ = Condition::joined;
  bool traced_ = false;
  WindowSight before_;  // what stood in the logs when the window started
};

}  // namespace stash
