#pragma once

#include <array>

#include "stash/input/pipeline.h"
#include "stash/measure/batch_source.h"
#include "stash/measure/switch_backend.h"
#include "stash/measure/trainer.h"
#include "stash/measure/workload.h"

namespace stash {

// A built-in job: the library's own trainer and input pipeline.
class BuiltinWorkload final : public Workload {
 public:
  // `first_on_node`: the rank that computes in `solo`. `pipeline` may be null when no condition uses input.
  BuiltinWorkload(const Job& job, Trainer& trainer, Device& device, SwitchBackend& backend, BatchSource& batches,
                  Pipeline* pipeline, SpanLog& spans, bool first_on_node, bool several_nodes);

  std::optional<double> enter(Condition condition, int steps) override;
  void go() override;
  double run(int steps) override;
  void leave() override;
  bool takes_part() const override { return takes_part_; }
  double waited_s() const override { return batches_.waited_s(); }
  std::optional<double> queued_samples() const override;
  SpanLog& spans() override { return spans_; }
  c10::Device device() const override { return device_.torch_device(); }
  void collect_device_times() override { backend_.collect_device_times(); }
  double stop_s() override { return device_.stop_s(); }
  std::optional<double> loss() const override { return trainer_.loss(); }
  std::optional<double> weight_sum() const override;

 private:
  void match_weights();
  void warm_up();
  void step();

  const Job& job_;
  Trainer& trainer_;
  Device& device_;
  SwitchBackend& backend_;
  BatchSource& batches_;
  Pipeline* pipeline_;
  SpanLog& spans_;
  bool first_on_node_;
  bool several_nodes_;
  bool weights_differ_ = false;
  bool takes_part_ = true;
  std::array<bool, kConditions.size()> warm_{};
  Condition condition_ = Condition::joined;
};

}  // namespace stash
